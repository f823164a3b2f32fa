package org.spillway.director.directory;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Users and groups of two files in the form of passwd(5) and group(5), which need not be this machine's own: for a
 * cluster whose accounts are kept by a program, or tried out without root. They are looked at once a second and read
 * when they have changed; replace them by a rename, so that none is seen half written. What cannot be read, or has a
 * malformed line, changes nothing: the last good content stays, and {@link #trouble} names the line.
 */
public final class FileSource implements DirectorySource {
    private final NssSource reader;

    /**
     * @param minUid smallest uid and gid of an ordinary account
     * @param ownUser the user that the head runs as, which is taken whatever its uid, when it is in the file
     */
    public FileSource(Path passwd, Path group, long minUid, String ownUser) {
        this.reader = new NssSource(minUid, ownUser, new AccountFiles(passwd, group));
    }

    /** @throws IOException with {@code FILE:LINE}, if the files could not be taken as they are now */
    public static void check(Path passwd, Path group) throws IOException {
        AccountFiles files = new AccountFiles(passwd, group);
        files.lines("passwd");
        files.lines("group");
    }

    @Override
    public void start(DirectoryStore store) {
        reader.start(store);
    }

    @Override
    public String trouble() {
        return reader.trouble();
    }

    @Override
    public boolean hasFailed() {
        return reader.hasFailed();
    }

    @Override
    public void close() {
        reader.close();
    }
}
