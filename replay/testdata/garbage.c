/* Gives answers that no interface defines. */
#define STATUS 31337
#define VALUE (lit ^ 0x40000000)
#define SIGNATURE "\xff\xfe \x01 garbage"
#include "honest.h"
