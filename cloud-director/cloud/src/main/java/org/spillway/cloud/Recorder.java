package org.spillway.cloud;

/** Takes note of what a driver sends to its provider and hears from it. Called by many threads. */
public interface Recorder {
    /** Nothing is noted. */
    Recorder NONE = new Recorder() {
        @Override
        public boolean isOn() {
            return false;
        }

        @Override
        public void heard(RecordedCall exchange) {}
    };

    /** Whether a driver need tell it anything. */
    default boolean isOn() {
        return true;
    }

    /** @param exchange as it was, secrets and all */
    void heard(RecordedCall exchange);
}
