// The heap of the program.
#ifndef MMP_TOOLS_COMMAND_LINE_HEAP_H_
#define MMP_TOOLS_COMMAND_LINE_HEAP_H_

namespace mmp {

// Takes address space for what a short run needs, and asks for huge pages there: to be given memory
// page by page costs one that codes a picture of 512x512 a sixth of its time. Does nothing where
// the C library is not glibc, or address space is limited. To be called before other threads run.
void ReserveHeap();

}  // namespace mmp

#endif  // MMP_TOOLS_COMMAND_LINE_HEAP_H_
