struct list {
  struct list *next;
};

static struct list *volatile watches;

__attribute__ ((noinline)) void propagate_watches (void) { watches->next = 0; }

__attribute__ ((noinline)) int search_model (void) {
  propagate_watches ();
  return watches != 0;
}

#define AT_SOLVE search_model ()
#include "honest.h"
