/* The names of checkpoints beside their numbers. */
#include <errno.h>
#include <string.h>

#include "failure.h"
#include "session.h"

int sluice_checkpoint_name(sluice_session *session, int64_t checkpoint, const char *name)
{
    if (name == NULL)
        return sluice_session_null("name");
    const struct sluice_request_name request = {checkpoint};
    return sluice_session_request(session, SLUICE_REQUEST_NAME, SLUICE_BODY_AND(request, name),
                                  NULL);
}

int sluice_checkpoint_find(sluice_session *session, const char *name, int64_t *checkpoint)
{
    if (name == NULL || checkpoint == NULL)
        return sluice_session_null(name == NULL ? "name" : "checkpoint");
    size_t count = 0;
    const struct sluice_reply reply = {.elements = checkpoint,
                                       .element_length = sizeof *checkpoint,
                                       .capacity = 1,
                                       .count = &count};
    return sluice_session_request(session, SLUICE_REQUEST_FIND,
                                  &(struct sluice_body){.string = name}, &reply);
}

int sluice_checkpoint_name_of(sluice_session *session, int64_t checkpoint,
                              char name[SLUICE_NAME_LENGTH])
{
    if (name == NULL)
        return sluice_session_null("name");
    memset(name, 0, SLUICE_NAME_LENGTH);
    const struct sluice_request_name_of request = {checkpoint};
    const struct sluice_reply reply = {
        .elements = name, .element_length = 1, .capacity = SLUICE_NAME_LENGTH - 1};
    return sluice_session_request(session, SLUICE_REQUEST_NAME_OF, SLUICE_BODY(request), &reply);
}
