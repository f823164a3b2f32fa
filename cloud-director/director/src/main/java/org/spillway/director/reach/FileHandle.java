package org.spillway.director.reach;

import java.util.Base64;
import java.util.List;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

/**
 * An open file by what a node is told of it, and tells any director again. A node may tell anything: home judges path and identity
 * as those of every question.
 *
 * @param number which opening it is
 */
record FileHandle(int number, String path, Entry entry) {
    String text() {
        byte[] told = Reply.of(List.of(entry)).body();
        return number + ":" + Base64.getUrlEncoder().withoutPadding().encodeToString(told) + path;
    }

    /** @throws IllegalArgumentException if it is none */
    static FileHandle of(String text) {
        int colon = text.indexOf(':');
        int slash = text.indexOf('/');
        if (colon < 1 || slash < colon) {
            throw new IllegalArgumentException("no such handle");
        }
        byte[] told = Base64.getUrlDecoder().decode(text.substring(colon + 1, slash));
        List<Entry> entries = new Reply(Status.OK, told).entries();
        String path = text.substring(slash);
        if (entries.size() != 1 || !isOf(path, entries.getFirst())) {
            throw new IllegalArgumentException("not the handle of a file");
        }
        return new FileHandle(Integer.parseInt(text.substring(0, colon)), path, entries.getFirst());
    }

    /** Words of several files that are asked for at once are told apart by slashes. */
    private static boolean isOf(String path, Entry file) {
        return file.isFile()
                && file.bytes() >= 0
                && file.name().equals(path.substring(path.lastIndexOf('/') + 1))
                && !file.identity().contains("/");
    }
}
