package org.spillway.head.service;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixGroup;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.tenant.Logins;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;

/** Users and their supplementary groups, as the head's directory knows them. */
final class UserGroups {
    private final DirectoryStore store;
    private final Function<String, Optional<String>> refusals;
    private final Consumer<String> lookUp;

    /**
     * @param refusals why the account of a login may not work; empty for one that may
     * @param lookUp asks for a login that the directory does not show by itself
     */
    UserGroups(DirectoryStore store, Function<String, Optional<String>> refusals, Consumer<String> lookUp) {
        this.store = store;
        this.refusals = refusals;
        this.lookUp = lookUp;
    }

    /** As {@link #knows}, after asking for one who is not there by itself. */
    boolean findsOut(String user, int uid) {
        if (!knows(user, uid)) {
            lookUp.accept(user);
        }
        return knows(user, uid);
    }

    Optional<String> refusal(String user) {
        return refusals.apply(user);
    }

    boolean knows(String user, int uid) {
        return store.user(user).filter(found -> found.uidNumber() == uid).isPresent();
    }

    /** The user's primary group in the directory; empty for one that is not there, or whose number is too large. */
    OptionalInt gidOf(String user) {
        return store.user(user)
                .filter(found -> found.gidNumber() <= Integer.MAX_VALUE)
                .map(found -> OptionalInt.of((int) found.gidNumber()))
                .orElseGet(OptionalInt::empty);
    }

    /** Where the user's home is; empty for one who is not there. */
    Optional<String> homeOf(String user) {
        return store.user(user).map(PosixUser::homeDirectory);
    }

    /** Names of the accounts that cannot be told apart by this login or number; empty where there is one at most. */
    List<String> confusedWith(String user, int uid) {
        List<String> names = store.sameAccounts(user, uid);
        return names.size() < 2 ? List.of() : names;
    }

    /** The login name of a uid: what the machine calls it, when the directory does so too, else the directory's. */
    String nameOf(int uid, String here) {
        return knows(here, uid)
                ? here
                : store.user((long) uid).map(PosixUser::name).orElse(here);
    }

    /** Users as workload managers look them up. */
    Logins logins() {
        return new Logins(this::loginName, this::homeOf);
    }

    /** Empty for a uid that nobody in the directory has. */
    Optional<String> loginName(int uid) {
        return store.user((long) uid).map(PosixUser::name);
    }

    /** Names of all groups that the user is in, sorted. */
    List<String> namesOf(String user) {
        return store.groupsOf(user).stream()
                .map(PosixGroup::name)
                .sorted()
                .distinct()
                .toList();
    }

    /** The name of the user's primary group; its number where nobody in the directory names it. */
    String primaryOf(String user, int gid) {
        return store.groupsOf(user).stream()
                .filter(group -> group.gidNumber() == gid)
                .map(PosixGroup::name)
                .findFirst()
                .orElse("gid-" + gid);
    }

    /** As {@link #of(String)}; none where the login is another's now: a job ends as who it began as. */
    List<Integer> of(String user, int uid) {
        return knows(user, uid) ? of(user) : List.of();
    }

    /**
     * With whose rights a job's files are touched: as whom it was submitted, with the groups of now.
     *
     * @throws FileRefused where its user has another number by now and another login has this one
     */
    Identity identity(JobSpec spec) throws FileRefused {
        Optional<PosixUser> now = store.user(spec.user()).filter(found -> found.uidNumber() != spec.uid());
        // A login that is gone was renamed: a number is who somebody is to every file.
        List<String> holders = now.isEmpty() ? List.of() : store.accountsOf(spec.uid());
        if (!holders.isEmpty()) {
            throw new FileRefused("uid " + spec.uid() + " is another's by now (" + String.join(" and ", holders)
                    + "), and " + spec.user() + ", who submitted the job with it, has uid "
                    + now.get().uidNumber() + ": nothing of it is read or written until the directory says otherwise");
        }
        return new Identity(spec.user(), spec.uid(), spec.gid(), of(spec.user(), spec.uid()));
    }

    List<Integer> of(String user) {
        return store.groupsOf(user).stream()
                .map(group -> (int) group.gidNumber())
                .toList();
    }
}
