package org.spillway.head.loop;

import org.spillway.director.wire.Directive;

/** Names in the directory that head, directors and nodes must agree on. */
public final class DirectoryNames {
    /** Base of the replicated directory, the same in every site. */
    public static final String BASE_DN = "dc=spillway";

    private DirectoryNames() {}

    /** As whom a site's director binds. */
    public static String bindDn(String site) {
        return "cn=" + site + ",ou=directors," + BASE_DN;
    }

    static Directive.DirectoryGrant grant(String site, int port, String password) {
        return new Directive.DirectoryGrant(port, BASE_DN, bindDn(site), password);
    }
}
