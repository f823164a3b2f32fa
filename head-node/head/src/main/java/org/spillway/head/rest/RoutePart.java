package org.spillway.head.rest;

import java.util.Map;

/** Requests that a tenant of the head answers; their paths have a first part of their own. */
public interface RoutePart {
    /** Whether this caller's requests are not counted. */
    boolean isTrusted(Caller caller);

    /** Handlers of POST requests by path below {@code /api/v1}, with names in braces. */
    Map<String, Handler> posts();

    /** Answers, or throws an {@link org.spillway.api.ApiException}. */
    @FunctionalInterface
    interface Handler {
        Reply answer(Request request);
    }

    /** @param path the values of the names in braces */
    record Request(Caller caller, Map<String, String> path, byte[] body) {}

    /** @param value made into JSON */
    record Reply(int status, Object value) {}
}
