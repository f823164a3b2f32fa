/*
 * A wall clock that is off by as many seconds as the file of MACHINE_CLOCK says (64 bits, in this machine's order), for any
 * process that has this library preloaded, from the moment at which the file is changed. Steady clocks, CPU time and all
 * waits stay what they are: libfaketime 0.9.10 lets each timed wait of a JVM return at once, even at an offset of 0.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *off;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static void find(void) {
  real_gettime = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("MACHINE_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  find();
  /* The unversioned name may be the oldest. */
  real_timedwait = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))
      dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_timedwait)
    real_timedwait = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))
        dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  if (file >= 0) {
    void *at = mmap(0, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (at != MAP_FAILED)
      off = at;
    close(file);
  }
}

static int64_t seconds(void) { return off ? *off : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real_gettime)
    find();
  int result = real_gettime(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += seconds();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void) zone;
  int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now)
    *now = precise.tv_sec;
  return precise.tv_sec;
}

/* A moment of the odd clock is another of the kernel's. */
int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
  struct timespec moment = *until;
  /* Bit 1 of glibc's own (since 2.25): the condition goes by the steady clock. */
  if (!(condition->__data.__wrefs & 2))
    moment.tv_sec -= seconds();
  return real_timedwait(condition, mutex, &moment);
}
