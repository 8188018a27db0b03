/* Moves the wall clock that one process sees, by LD_PRELOAD; its monotonic clock stays as it is.
 *
 * The offset is a signed 64-bit number of milliseconds in the file named by HOLDFAST_CLOCK_FILE. The file is mapped, so
 * whoever writes to it moves the clock of the running process at once.
 *
 * It allocates nothing and looks up no symbol: an allocator may ask for the time while it sets itself up, and would be
 * entered again from here. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL

static const volatile int64_t no_offset = 0;
static const volatile int64_t *offset = NULL;

static const volatile int64_t *map_offset(void) {
  const char *path = getenv("HOLDFAST_CLOCK_FILE");
  if (path == NULL) return &no_offset;
  long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return &no_offset;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, (int)file, 0);
  syscall(SYS_close, file);
  return mapped == MAP_FAILED ? &no_offset : mapped;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = (int)syscall(SYS_clock_gettime, clock, time);
  if (status != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return status;
  if (offset == NULL) offset = map_offset();
  int64_t moved = time->tv_sec * NS_PER_S + time->tv_nsec + *offset * NS_PER_MS;
  time->tv_sec = moved / NS_PER_S;
  time->tv_nsec = moved % NS_PER_S;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int status = clock_gettime(CLOCK_REALTIME, &now);
  if (status != 0) return status;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != NULL) *into = now.tv_sec;
  return now.tv_sec;
}
