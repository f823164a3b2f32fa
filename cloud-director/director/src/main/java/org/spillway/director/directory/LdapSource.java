package org.spillway.director.directory;

import org.jspecify.annotations.Nullable;

/** The site's own LDAP, followed by content synchronisation; it needs syncprov or another provider of RFC 4533. */
public final class LdapSource implements DirectorySource {
    private final LdapEndpoint endpoint;
    private final String filter;
    private final Backoff backoff;
    private volatile @Nullable ContentSyncConsumer consumer;

    public LdapSource(LdapEndpoint endpoint) {
        this(endpoint, ContentSyncConsumer.DEFAULT_FILTER, Backoff.DEFAULT);
    }

    /** @param filter which entries to copy */
    public LdapSource(LdapEndpoint endpoint, String filter, Backoff backoff) {
        this.endpoint = endpoint;
        this.filter = filter;
        this.backoff = backoff;
    }

    @Override
    public synchronized void start(DirectoryStore store) {
        if (consumer != null) {
            throw new IllegalStateException("this source feeds a store already");
        }
        ContentSyncConsumer started = new ContentSyncConsumer(store, filter, backoff);
        started.follow(endpoint);
        consumer = started;
    }

    @Override
    public String trouble() {
        ContentSyncConsumer started = consumer;
        return started == null ? "not started" : started.trouble();
    }

    @Override
    public boolean hasFailed() {
        ContentSyncConsumer started = consumer;
        return started != null && started.hasFailed();
    }

    @Override
    public synchronized void close() {
        if (consumer != null) {
            consumer.close();
        }
    }
}
