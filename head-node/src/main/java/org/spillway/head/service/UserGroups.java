package org.spillway.head.service;

import java.util.List;
import org.spillway.director.directory.DirectoryStore;

/** Supplementary groups of a user, as the head's directory knows them. */
final class UserGroups {
    private final DirectoryStore store;

    UserGroups(DirectoryStore store) {
        this.store = store;
    }

    List<Integer> of(String user) {
        return store.groupsOf(user).stream()
                .map(group -> (int) group.gidNumber())
                .toList();
    }
}
