package org.spillway.api;

/** A transfer's states; it resumes from the last byte that the other side holds. */
public enum TransferState {
    PLANNED,
    RUNNING,
    VERIFIED,
    FAILED
}
