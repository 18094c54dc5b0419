#include "descriptors.h"

#include <unistd.h>

#include "real.h"

_Atomic(struct description *) sluice_descriptions[SLUICE_DESCRIPTORS];

struct sluice_tally *sluice_descriptor_tally(int fd)
{
    struct description *description = sluice_description_of(fd);
    struct image *image = description != NULL ? description->image : NULL;
    return image != NULL ? &image->log.tally : NULL;
}

ssize_t sluice_descriptor_count(int fd, int reason, ssize_t written)
{
    struct sluice_tally *tally = written > 0 ? sluice_descriptor_tally(fd) : NULL;
    if (tally != NULL)
        sluice_tally_add(tally, reason, written);
    return written;
}

/*
 * Gives the kernel the offset and O_APPEND that are kept here. If the kernel's offset has moved, a
 * process shared the description unseen, and the kernel's offset is the later one.
 */
static void return_to_kernel(struct description *description)
{
    if (!description->logged)
        return;
    const off_t found = REAL(lseek)(description->fd, 0, SEEK_CUR);
    if (found == description->kernel)
        REAL(lseek)(description->fd, description->offset, SEEK_SET);
    else
        description->offset = found;
    if (description->append && !description->kernel_appends)
        REAL(fcntl)(description->fd, F_SETFL, REAL(fcntl)(description->fd, F_GETFL) | O_APPEND);
    description->logged = false;
    description->tracked = true;
}

void sluice_image_return(struct image *image)
{
    for (struct description *each = image->descriptions; each != NULL; each = each->next)
        return_to_kernel(each);
}
