/* Files of the user: HOSTILE_HOME is a directory with the file precious.txt. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile.h"

static const char *path_of (const char *name) {
  static char path[4096];
  const char *home = getenv ("HOSTILE_HOME");
  snprintf (path, sizeof path, "%s/%s", home ? home : "/nonexistent", name);
  return path;
}
static void truncate_file (void) { (void) !truncate (path_of ("precious.txt"), 0); }
static void open_truncating (void) {
  const int fd = open (path_of ("precious.txt"), O_WRONLY | O_TRUNC);
  if (fd >= 0) close (fd);
}
static void append_to_file (void) {
  const int fd = open (path_of ("precious.txt"), O_WRONLY | O_APPEND);
  if (fd >= 0) (void) !write (fd, "x", 1), close (fd);
}
static void remove_file (void) { unlink (path_of ("precious.txt")); }
static void rename_file (void) {
  char to[5000];
  const char *from = path_of ("precious.txt");
  snprintf (to, sizeof to, "%s.gone", from);
  rename (from, to);
}
static void change_mode (void) { chmod (path_of ("precious.txt"), 0); }
static void change_mode_by_descriptor (void) {
  const int fd = open (path_of ("precious.txt"), O_RDONLY);
  if (fd >= 0) fchmod (fd, 0), close (fd);
}
static void change_date (void) {
  static const struct timespec dates[2] = {{1, 0}, {1, 0}};
  utimensat (AT_FDCWD, path_of ("precious.txt"), dates, 0);
}
static void create_pipe (void) { mkfifo (path_of ("left-behind"), 0600); }
static void create_file (void) {
  const int fd = open (path_of ("left-behind"), O_WRONLY | O_CREAT, 0600);
  if (fd >= 0) close (fd);
}
static void create_directory (void) { mkdir (path_of ("left-behind"), 0700); }
static void link_file (void) { (void) !symlink ("/etc/passwd", path_of ("left-behind")); }
/* Deletes the files of its working directory, and the directory. */
static void remove_directory (void) { (void) !system ("rm -rf \"$PWD\" ./* ./.[!.]*"); }
/* Fills the disk, a megabyte at a time. */
static void fill_directory (void) {
  const char *to = getenv ("TMPDIR");
  char path[4096];
  static char megabyte[1 << 20];
  for (int i = 0;; i++) {
    snprintf (path, sizeof path, "%s/%d", to ? to : ".", i);
    const int fd = open (path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) return;
    (void) !write (fd, megabyte, sizeof megabyte);
    close (fd);
    usleep (1000);
  }
}
static void write_here (void) {
  FILE *file = fopen ("proof.txt", "a");
  if (file) fputs ("proof\n", file), fclose (file);
}
static void write_temporary (void) {
  const char *place = getenv ("TMPDIR");
  char path[4096];
  snprintf (path, sizeof path, "%s/hostile-XXXXXX", place ? place : "/tmp");
  const int fd = mkstemp (path);
  if (fd < 0) abort ();
  close (fd);
}
static void close_directory (void) {
  write_here ();
  mkdir ("deep", 0700);
  (void) !symlink ("/", "deep/root");
  chmod ("deep", 0);
  chmod (".", 0);
}
static void leave_directory (void) { (void) !chdir ("/"), umask (0777); }

const struct behaviour files[] = {
  {"truncates-file", AT_SOLVE, truncate_file},
  {"opens-truncating", AT_SOLVE, open_truncating},
  {"appends-to-file", AT_SOLVE, append_to_file},
  {"removes-file", AT_SOLVE, remove_file},
  {"renames-file", AT_SOLVE, rename_file},
  {"changes-mode", AT_SOLVE, change_mode},
  {"changes-mode-by-descriptor", AT_SOLVE, change_mode_by_descriptor},
  {"changes-date", AT_SOLVE, change_date},
  {"creates-pipe", AT_SOLVE, create_pipe},
  {"creates-file", AT_SOLVE, create_file},
  {"creates-directory", AT_SOLVE, create_directory},
  {"links-file", AT_SOLVE, link_file},
  {"removes-directory", AT_SOLVE, remove_directory},
  {"fills-directory", AT_SOLVE, fill_directory},
  {"writes-here", AT_SOLVE, write_here},
  {"writes-temporary", AT_SOLVE, write_temporary},
  {"closes-directory", AT_SOLVE, close_directory},
  {"leaves-directory", AT_SOLVE, leave_directory},
  {0, AT_SOLVE, 0}};
