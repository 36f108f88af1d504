// The C library, and what Swift can't call of it, for a plain `import LibC`. Which library that is, is chosen here and
// nowhere else.

@_exported public import CLinux

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#else
#error("The transport knows Linux alone: epoll, eventfd and pidfd have no equivalent here yet")
#endif
