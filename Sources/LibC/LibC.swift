// The C library, and the calls of it that Swift can't make itself, for a plain `import LibC`. This file alone chooses which
// library that is.

@_exported public import CLinux

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#else
#error("The transport knows Linux alone: epoll, eventfd and pidfd have no equivalent here yet")
#endif
