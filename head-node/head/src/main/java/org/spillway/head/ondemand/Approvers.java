package org.spillway.head.ondemand;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.config.ClusterSettings;

/** Who agrees to clusters on demand that are above a limit: administrators, and those whom the configuration names. */
public final class Approvers {
    /** Of them so many are told by mail. */
    private static final int MOST_TOLD = 50;

    private final ClusterSettings.Approval rules;
    private final DirectoryStore directory;
    private final String headUser;

    /** @param headUser login name that the head runs as: an administrator, like root */
    public Approvers(ClusterSettings.Approval rules, DirectoryStore directory, String headUser) {
        this.rules = rules;
        this.directory = directory;
        this.headUser = headUser;
    }

    /** Whether the configuration names them, or a group of theirs. By number: names of the machine are not the directory's. */
    public boolean names(int uid) {
        return directory
                .user((long) uid)
                .map(PosixUser::name)
                .filter(name -> rules.users().contains(name)
                        || directory.groupsOf(name).stream()
                                .anyMatch(group -> rules.groups().contains(group.name())))
                .isPresent();
    }

    /** Login names of those whom the configuration names and the directory knows, sorted. */
    public List<String> logins() {
        var all = new TreeSet<>(rules.users());
        rules.groups().forEach(group -> all.addAll(directory.members(group)));
        return all.stream()
                .filter(name -> directory.user(name).isPresent())
                .limit(MOST_TOLD)
                .toList();
    }

    /** As users read it: {@code root}, login names, and {@code group NAME}. */
    public List<String> inWords() {
        var all = new ArrayList<String>();
        all.add("root");
        if (!headUser.equals("root")) {
            all.add(headUser);
        }
        rules.users().stream().filter(name -> !all.contains(name)).forEach(all::add);
        rules.groups().forEach(name -> all.add("group " + name));
        return all;
    }
}
