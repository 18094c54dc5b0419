/*
 * Makes files direct whose descriptors go to another process. The two share an offset, so the
 * kernel keeps it.
 */
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "description.h"
#include "open.h"
#include "real.h"

static void surrender_sent(const struct msghdr *message)
{
    struct cmsghdr *each =
        message != NULL && message->msg_control != NULL ? CMSG_FIRSTHDR(message) : NULL;
    for (; each != NULL; each = CMSG_NXTHDR((struct msghdr *)message, each)) {
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= each->cmsg_len; at += sizeof(int)) {
            int fd;
            memcpy(&fd, (char *)each + at, sizeof fd);
            sluice_descriptor_surrender(fd, SLUICE_REASON_PASSED);
        }
    }
}

SLUICE_BEFORE(ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags),
              (socket, message, flags), surrender_sent(message))
SLUICE_BEFORE(int, sendmmsg, (int socket, struct mmsghdr *messages, unsigned count, int flags),
              (socket, messages, count, flags),
              for (unsigned i = 0; i < count; i++) surrender_sent(&messages[i].msg_hdr))
SLUICE_AFTER(int, pidfd_getfd, (int pidfd, int target, unsigned flags), (pidfd, target, flags),
             if (result >= 0) sluice_open_shared(result))
