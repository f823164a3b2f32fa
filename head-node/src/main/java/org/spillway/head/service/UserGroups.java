package org.spillway.head.service;

import java.util.List;
import org.spillway.director.directory.DirectoryStore;

/** Users and their supplementary groups, as the head's directory knows them. */
final class UserGroups {
    private final DirectoryStore store;

    UserGroups(DirectoryStore store) {
        this.store = store;
    }

    boolean knows(String user, int uid) {
        return store.user(user).filter(found -> found.uidNumber() == uid).isPresent();
    }

    List<Integer> of(String user) {
        return store.groupsOf(user).stream()
                .map(group -> (int) group.gidNumber())
                .toList();
    }
}
