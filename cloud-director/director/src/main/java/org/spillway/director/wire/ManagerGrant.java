package org.spillway.director.wire;

import java.util.List;
import java.util.Map;

/**
 * The needs of the daemon that a workload manager has on a node. A director keeps them in memory only, and gives them to
 * that node alone, after its gate: nothing of them is ever in user data.
 *
 * @param manager whose daemon, {@code [a-z][a-z0-9-]*}, 20 characters at most
 * @param slot the manager's name for the node, {@code [a-z0-9-]+}, 64 at most
 * @param turn another word than before when the daemon shall see whether it and its manager know the same; empty for none
 * @param parameters words by name, 32 at most: letters, digits and {@code . _ : @ % , = + [ ] / -}. A path is absolute
 *     and has no step that begins with a dot
 * @param files that the daemon needs, keys among them, 16 at most
 */
public record ManagerGrant(
        String manager, String slot, String turn, Map<String, String> parameters, List<GrantedFile> files) {
    public ManagerGrant {
        parameters = Map.copyOf(parameters);
        files = List.copyOf(files);
    }

    /** Without the files: this text may reach a log. */
    @Override
    public String toString() {
        return "ManagerGrant[manager=" + manager + ", slot=" + slot + ", parameters=" + parameters + "]";
    }

    /**
     * A file in the manager's own folder on the node.
     *
     * @param name without a folder, {@code [a-z0-9][a-z0-9._-]*}, 64 characters at most
     * @param mode 400, 600 for what is secret; 444, 644, 555, 755
     * @param base64 of 1 byte to 64 KiB
     */
    public record GrantedFile(String name, String mode, String base64) {
        /** Without its content. */
        @Override
        public String toString() {
            return "GrantedFile[" + name + " " + mode + "]";
        }
    }

    /**
     * A manager's part of the program of all of its nodes.
     *
     * @param text POSIX shell, 64 KiB at most: what {@code manager.sh} of the node's program says is needed
     */
    public record Program(String manager, String text) {
        /** Without the text, which is long. */
        @Override
        public String toString() {
            return "Program[" + manager + "]";
        }
    }
}
