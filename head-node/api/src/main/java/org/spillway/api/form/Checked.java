package org.spillway.api.form;

/** A record with rules that no field can tell by itself. */
public interface Checked {
    /**
     * Asked once every field is within its own bounds.
     *
     * @param prefix what stands before the names of its fields in messages: empty, or a path with a dot behind it
     * @throws RuntimeException that names the field and what is allowed
     */
    void check(String prefix);
}
