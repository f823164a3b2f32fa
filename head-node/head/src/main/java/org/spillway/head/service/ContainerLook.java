package org.spillway.head.service;

import java.io.IOException;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.tree.ImageName;
import org.spillway.stage.worker.FileRefused;

/** The image that a job runs in: the submission's, or its queue's, by the digest that it has when it is submitted. */
record ContainerLook(Stager stager) {
    /** @param note for its user; empty for none */
    record Found(JobSpec spec, String note) {}

    /**
     * @param asked by the submission; empty for the queue's
     * @param usual of the queue; empty for none
     * @throws ApiException INPUT_UNREADABLE when there is no such image for this user
     */
    Found look(JobSpec spec, String asked, String usual) {
        String name = asked.isEmpty() ? usual : asked;
        if (name.isEmpty() || name.equals(ImageName.NONE)) {
            return new Found(spec, "");
        }
        String whole = ImageName.of(name).text();
        try {
            return in(spec, stager.pinnedImage(spec, whole), "");
        } catch (FileRefused refused) {
            throw new ApiException(
                    Code.INPUT_UNREADABLE,
                    "the image cannot be had: " + refused.getMessage(),
                    "an image is fetched with your own login: see 'podman login', and docs/users.md");
        } catch (IOException silent) {
            return in(spec, whole, "its image is looked up when its input is brought: " + silent.getMessage());
        }
    }

    private static Found in(JobSpec spec, String image, String note) {
        return new Found(spec.with(draft -> draft.data = draft.data.in(image)), note);
    }
}
