// The standard trained patterns as data of the library.
#ifdef __APPLE__
#define SYMBOL(name) _##name
    .const
#elif defined(__wasm__)
#define SYMBOL(name) name
    .section .rodata.mmp_standard_patterns,"",@
    .type mmp_standard_patterns,@object
    .size mmp_standard_patterns, mmp_standard_patterns_end - mmp_standard_patterns
    .type mmp_standard_patterns_end,@object
    .size mmp_standard_patterns_end, 1
#else
#define SYMBOL(name) name
    .section .rodata
#endif
    .globl SYMBOL(mmp_standard_patterns)
    .globl SYMBOL(mmp_standard_patterns_end)
#ifdef __ELF__
    .hidden SYMBOL(mmp_standard_patterns)
    .hidden SYMBOL(mmp_standard_patterns_end)
#endif
#ifdef __APPLE__
    .private_extern SYMBOL(mmp_standard_patterns)
    .private_extern SYMBOL(mmp_standard_patterns_end)
#endif
SYMBOL(mmp_standard_patterns):
    .incbin MMP_STANDARD_PATTERNS
SYMBOL(mmp_standard_patterns_end):
    .byte 0
#ifdef __ELF__
    .section .note.GNU-stack,"",%progbits
#endif
