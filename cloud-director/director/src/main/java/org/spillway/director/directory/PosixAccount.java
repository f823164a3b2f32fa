package org.spillway.director.directory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;

/** A user with all groups, as a comparison needs them. */
public final class PosixAccount {
    private PosixAccount() {}

    /** Empty for a login that is not there, or that several accounts claim. */
    public static Optional<Account> of(DirectoryStore store, String login) {
        return store.user(login).map(user -> {
            List<Group> groups = new ArrayList<>();
            store.groupsOf(login).forEach(group -> groups.add(new Group(group.gidNumber(), group.name())));
            if (groups.stream().noneMatch(group -> group.gid() == user.gidNumber())) {
                groups.add(new Group(user.gidNumber(), ""));
            }
            return new Account(user.uidNumber(), user.gidNumber(), groups);
        });
    }
}
