// The weights of the network filter as data of the library.
#ifdef __APPLE__
#define SYMBOL(name) _##name
    .const
#else
#define SYMBOL(name) name
    .section .rodata
#endif
    .globl SYMBOL(mmp_network_weights)
    .globl SYMBOL(mmp_network_weights_end)
#ifdef __ELF__
    .hidden SYMBOL(mmp_network_weights)
    .hidden SYMBOL(mmp_network_weights_end)
#endif
#ifdef __APPLE__
    .private_extern SYMBOL(mmp_network_weights)
    .private_extern SYMBOL(mmp_network_weights_end)
#endif
SYMBOL(mmp_network_weights):
    .incbin MMP_NETWORK_WEIGHTS
SYMBOL(mmp_network_weights_end):
    .byte 0
#ifdef __ELF__
    .section .note.GNU-stack,"",%progbits
#endif
