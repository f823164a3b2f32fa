package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.QueueView;

/** The refusal of a queue's name that is none: an empty answer would look like an empty queue. */
final class UnknownQueue {
    private UnknownQueue() {}

    /**
     * @param name as asked for; empty for all queues
     * @throws ApiException if none is called so
     */
    static void refuse(String name, List<QueueView> queues) {
        List<String> names = queues.stream().map(QueueView::name).toList();
        if (!name.isEmpty() && !names.contains(name)) {
            throw new ApiException(
                    ApiException.Code.UNKNOWN_QUEUE,
                    "there is no queue '" + name + "'",
                    "queues: " + String.join(", ", names));
        }
    }
}
