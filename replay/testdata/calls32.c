/* Makes one system call as a 32-bit program does, without a C library. The words are the number of
 * the call, up to five arguments, and the result that it must have. @TEXT is an argument that
 * points at TEXT, #1,2,3 one that points at these numbers. Exit code 0: the result was that; 1: it
 * was another. */
static int number (const char *s) {
  int n = 0;
  const int negative = *s == '-';
  for (s += negative; *s >= '0' && *s <= '9'; s++) n = 10 * n + *s - '0';
  return negative ? -n : n;
}

static int call (int number, const int *a) {
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a[0]), "c"(a[1]), "d"(a[2]), "S"(a[3]), "D"(a[4])
                   : "memory");
  return result;
}

__attribute__ ((used)) static void act (int words, char **word) {
  static int lists[5][8];
  int arguments[5] = {0};
  for (int i = 2; i + 1 < words; i++) {
    const char *s = word[i];
    int *list = lists[i - 2], n = 0;
    if (*s == '#')
      for (arguments[i - 2] = (int) list; *s; s++)
        if (*s == '#' || *s == ',') list[n++] = number (s + 1);
    if (*word[i] == '@') arguments[i - 2] = (int) (s + 1);
    if (*word[i] != '#' && *word[i] != '@') arguments[i - 2] = number (s);
  }
  const int other = call (number (word[1]), arguments) != number (word[words - 1]);
  call (1, (const int[]){other, 0, 0, 0, 0}); /* exit */
}

__asm__(".globl _start\n_start:\n  movl %esp, %eax\n  leal 4(%esp), %edx\n  andl $-16, %esp\n"
        "  subl $8, %esp\n  pushl %edx\n  pushl (%eax)\n  call act\n");
