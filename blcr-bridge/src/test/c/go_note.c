/* Says, as what Go's linker makes does, that it has Go's runtime. */
__asm__(".pushsection .note.go.buildid, \"a\", %note\n"
        ".balign 4\n"
        ".long 4, 4, 4\n"
        ".asciz \"Go\"\n"
        ".balign 4\n"
        ".asciz \"id1\"\n"
        ".popsection");

int go_note;
