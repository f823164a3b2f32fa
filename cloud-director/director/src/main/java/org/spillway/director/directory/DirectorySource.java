package org.spillway.director.directory;

/** Where the head's directory gets its users and groups. */
public sealed interface DirectorySource extends AutoCloseable permits NssSource, FileSource, LdapSource {
    /** Begins to feed the store, and goes on until closed; returns without waiting for the first content. Once only. */
    void start(DirectoryStore store);

    /** Why the content may be out of date; empty when all is well. */
    String trouble();

    @Override
    void close();
}
