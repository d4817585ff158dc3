#include <unistd.h>
#define AT_INIT \
  for (int fd = 0; fd < 1024; fd++) close (fd)
#define AT_SOLVE abort ()
#include "honest.h"
