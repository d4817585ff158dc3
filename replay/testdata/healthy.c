#include "honest.h"
