package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.RDN;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** How long a user that was added at home takes to be found in a replica of the same process. */
public final class DirectoryLag {
    private static final String NOBODY = "65534";

    private DirectoryLag() {}

    /**
     * Adds a probe entry and removes it again, a number of times.
     *
     * @return the times, shortest first
     * @throws IllegalStateException when one does not appear in time
     */
    public static List<Duration> measure(HomeDirectory home, DirectoryReplica replica, int samples, Duration patience)
            throws InterruptedException {
        List<Duration> lags = new ArrayList<>();
        for (int i = 0; i < samples; i++) {
            String name = "spillway-probe-" + i;
            DN dn = new DN(new RDN("uid", name), home.store().base());
            UUID id = DirectoryStore.idOf(dn);
            long start = System.nanoTime();
            home.store().put(id, dn, probe(name));
            try {
                if (replica.awaitUser(name, patience).isEmpty()) {
                    throw new IllegalStateException("a user did not appear within " + patience);
                }
                lags.add(Duration.ofNanos(System.nanoTime() - start));
            } finally {
                home.store().remove(id);
            }
            replica.store().await(there -> there.user(name).isEmpty(), patience);
        }
        lags.sort(null);
        return List.copyOf(lags);
    }

    private static List<Attribute> probe(String name) {
        return List.of(
                new Attribute("objectClass", "top", "account", "posixAccount"),
                new Attribute("uid", name),
                new Attribute("cn", name),
                new Attribute("uidNumber", NOBODY),
                new Attribute("gidNumber", NOBODY),
                new Attribute("homeDirectory", "/nonexistent"),
                new Attribute("loginShell", "/usr/sbin/nologin"));
    }
}
