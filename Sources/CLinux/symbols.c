#define _GNU_SOURCE
#include "CLinux.h"

#ifdef __linux__

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of functions by their addresses, from the symbol table of the file that has them: executables export next to nothing,
   which is all that `dladdr` knows. Nothing here takes memory from malloc. The file may be any, so everything that it says of
   itself is checked. */

struct search {
    uintptr_t address;
    const char *path;
    uintptr_t base;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || search->address < start || search->address - start >= segment->p_memsz) continue;
        search->base = info->dlpi_addr;
        search->path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        return 1;
    }
    return 0;
}

static int is_inside(size_t size, uint64_t offset, uint64_t length) { return offset <= size && length <= size - offset; }

/* The symbol of the table `header` that has `address`. */
static int find_symbol(const char *file, size_t size, const ElfW(Shdr) *sections, size_t count, const ElfW(Shdr) *header,
                       uintptr_t address, char *name, size_t name_size, uintptr_t *offset) {
    if (header->sh_link >= count) return 0;
    const ElfW(Shdr) *names = &sections[header->sh_link];
    if (!is_inside(size, header->sh_offset, header->sh_size) || !is_inside(size, names->sh_offset, names->sh_size)) return 0;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + header->sh_offset);
    for (size_t index = 0; index < header->sh_size / sizeof *symbols; index++) {
        const ElfW(Sym) *symbol = &symbols[index];
        if ((symbol->st_info & 0xf) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
        if (address < symbol->st_value || address - symbol->st_value >= symbol->st_size) continue;
        if (symbol->st_name >= names->sh_size) continue;
        const char *text = file + names->sh_offset + symbol->st_name;
        size_t length = strnlen(text, names->sh_size - symbol->st_name);
        if (length >= name_size) length = name_size - 1;
        memcpy(name, text, length);
        name[length] = 0;
        *offset = address - symbol->st_value;
        return 1;
    }
    return 0;
}

static int find_in_file(const char *path, uintptr_t address, char *name, size_t name_size, uintptr_t *offset) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    struct stat status;
    size_t size = fstat(descriptor, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 0;
    const char *file = size > sizeof(ElfW(Ehdr)) ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
    close(descriptor);
    if (file == MAP_FAILED) return 0;
    int found = 0;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
    size_t count = header->e_shnum;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_shentsize == sizeof(ElfW(Shdr)) &&
        is_inside(size, header->e_shoff, count * sizeof(ElfW(Shdr)))) {
        const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + header->e_shoff);
        /* The whole table where there is one, else the one of what is exported. */
        static const ElfW(Word) kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
        for (size_t kind = 0; kind < 2 && !found; kind++)
            for (size_t index = 0; index < count && !found; index++)
                if (sections[index].sh_type == kinds[kind])
                    found = find_symbol(file, size, sections, count, &sections[index], address, name, name_size, offset);
    }
    munmap((void *)file, size);
    return found;
}

int clinux_find_symbol(const void *address, char *name, size_t name_size, const char **path, size_t *offset) {
    struct search search = {.address = (uintptr_t)address};
    *path = "?";
    *offset = (size_t)address;
    name[0] = 0;
    if (!dl_iterate_phdr(find_object, &search)) return 0;
    *path = search.path;
    uintptr_t in_file = search.address - search.base;
    *offset = in_file;
    uintptr_t in_function;
    if (!find_in_file(search.path, in_file, name, name_size, &in_function)) return 0;
    return 1;
}

void clinux_describe_frame(const void *address, char *text, size_t size) {
    char name[256];
    const char *path;
    size_t offset;
    clinux_find_symbol(address, name, sizeof name, &path, &offset);
    const char *last = strrchr(path, '/');
    snprintf(text, size, "%s (%s+0x%zx)", name[0] ? name : "?", last ? last + 1 : path, offset);
}

char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags) __attribute__((weak));

char *clinux_demangle(const char *name) {
    return swift_demangle ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
}

#endif
