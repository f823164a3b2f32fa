package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * POSIX users and groups in memory, and the entries above them. What {@link EntryWhitelist} does not admit cannot be
 * put in. All methods may be called from any thread; writes are idempotent and a write that changes nothing is no
 * change.
 */
public final class DirectoryStore {
    /** More entries than this are refused: a source that grows without end must not take the process with it. */
    public static final int MOST_ENTRIES = 500_000;

    /** How many changes a reader may be behind before it has to read everything again. */
    public static final int SESSION_LOG_CHANGES = 20_000;

    private final DN base;
    private final UUID baseId;
    private final String epoch = UUID.randomUUID().toString();
    private final SessionLog log;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Condition changed = lock.writeLock().newCondition();
    private final Map<UUID, PackedEntry> entries = new LinkedHashMap<>();
    private final EntryIndex index = new EntryIndex();
    private int accounts;
    private boolean complete;

    /** @throws IllegalArgumentException when the base is not a DN that starts with dc=, o= or ou= */
    public DirectoryStore(String baseDn) {
        this(baseDn, SESSION_LOG_CHANGES);
    }

    DirectoryStore(String baseDn, int logChanges) {
        this.base = dn(baseDn);
        this.baseId = idOf(base);
        this.log = new SessionLog(logChanges);
        if (!put(baseId, base, EntryWhitelist.ofBase(base))) {
            throw new IllegalArgumentException(baseDn + " cannot be a base: it must start with dc=, o= or ou=");
        }
    }

    /** @throws IllegalArgumentException when it is none */
    static DN dn(String text) {
        try {
            return new DN(text);
        } catch (LDAPException e) {
            throw new IllegalArgumentException(text + " is not a distinguished name", e);
        }
    }

    /** The entryUUID of an entry that has none of its own: the same for the same name, over restarts too. */
    static UUID idOf(DN dn) {
        return UUID.nameUUIDFromBytes(("spillway-entry:" + dn.toNormalizedString()).getBytes(StandardCharsets.UTF_8));
    }

    DN base() {
        return base;
    }

    String epoch() {
        return epoch;
    }

    SessionLog log() {
        return log;
    }

    /**
     * Puts an entry, replacing the one with this id or this name.
     *
     * @return false when it changed nothing, or when the whitelist leaves nothing of it (it is then removed)
     * @throws IllegalStateException when the store is full
     */
    public boolean put(UUID id, DN dn, Collection<Attribute> attributes) {
        Optional<Ready> ready = ready(id, dn, attributes);
        if (ready.isEmpty()) {
            remove(id);
            return false;
        }
        return put(ready.get());
    }

    /** An entry as it is kept. */
    private record Ready(UUID id, DN dn, ReadOnlyEntry entry, PackedEntry packed) {}

    private Optional<Ready> ready(UUID id, DN dn, Collection<Attribute> attributes) {
        return dn.isDescendantOf(base, true)
                ? EntryWhitelist.admit(dn, attributes, id)
                        .map(entry -> new Ready(id, dn, entry, PackedEntry.of(id, entry)))
                : Optional.empty();
    }

    private boolean put(Ready ready) {
        UUID id = ready.id();
        lock.writeLock().lock();
        try {
            PackedEntry old = entries.get(id);
            if (old != null && ready.packed().isSame(old, ready.entry())) {
                return false;
            }
            if (old == null && entries.size() >= MOST_ENTRIES) {
                throw new IllegalStateException("the directory is full: " + MOST_ENTRIES + " entries");
            }
            named(ready.dn()).filter(sameName -> !sameName.equals(id)).ifPresent(this::drop);
            if (old != null) {
                forget(id, old.entry());
            }
            entries.put(id, ready.packed());
            index.add(id, ready.entry());
            accounts += isAccount(ready.entry()) ? 1 : 0;
            log.append(id, ready.packed().dn(), ready.packed());
            changed.signalAll();
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private boolean isThere(Ready ready) {
        PackedEntry old = read(() -> entries.get(ready.id()));
        return old != null && ready.packed().isSame(old, ready.entry());
    }

    /** @return whether there was one. The base entry stays. */
    public boolean remove(UUID id) {
        if (id.equals(baseId)) {
            return false;
        }
        lock.writeLock().lock();
        try {
            return drop(id);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private boolean drop(UUID id) {
        PackedEntry old = entries.remove(id);
        if (old == null) {
            return false;
        }
        forget(id, old.entry());
        log.append(id, old.dn(), null);
        changed.signalAll();
        return true;
    }

    private void forget(UUID id, Entry old) {
        index.remove(id, old);
        accounts -= isAccount(old) ? 1 : 0;
    }

    private static boolean isAccount(Entry entry) {
        return entry.hasObjectClass("posixAccount");
    }

    /** The entry of that name. The lock is held. */
    private Optional<UUID> named(DN dn) {
        return index.equal(EntryIndex.NAME, dn.toNormalizedString()).stream()
                .filter(id ->
                        unpacked(id).filter(entry -> parsed(entry).equals(dn)).isPresent())
                .findFirst();
    }

    /** The lock is held. */
    private Optional<ReadOnlyEntry> unpacked(UUID id) {
        return Optional.ofNullable(entries.get(id)).map(PackedEntry::entry);
    }

    /**
     * Makes these, and the base, all that is here; what is equal stays untouched. Readers see it at once, and copies
     * what is gone before what is new: whose entry has another name now is never two of one login.
     */
    public void replaceAll(Collection<? extends Entry> wanted) {
        Set<UUID> keep = new HashSet<>();
        List<Ready> fresh = new ArrayList<>();
        for (Entry entry : wanted) {
            DN dn = parsed(entry);
            ready(idOf(dn), dn, entry.getAttributes()).ifPresent(ready -> {
                keep.add(ready.id());
                if (!isThere(ready)) {
                    fresh.add(ready);
                }
            });
        }
        if (keep.size() >= MOST_ENTRIES) {
            throw new IllegalStateException("the directory is too large: " + keep.size() + " entries");
        }
        lock.writeLock().lock();
        try {
            retain(keep);
            fresh.forEach(this::put);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private <T extends @Nullable Object> T read(Supplier<T> what) {
        lock.readLock().lock();
        try {
            return what.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    boolean hasUsers() {
        return read(() -> accounts > 0);
    }

    /** @return how many accounts, or groups, are among these */
    int among(Predicate<UUID> ids, String objectClass) {
        return read(() -> (int) entries.entrySet().stream()
                .filter(each -> ids.test(each.getKey()))
                .filter(each -> each.getValue().entry().hasObjectClass(objectClass))
                .count());
    }

    /** Removes all but these and the base. */
    void retain(Set<UUID> keep) {
        lock.writeLock().lock();
        try {
            for (UUID id : List.copyOf(entries.keySet())) {
                if (!keep.contains(id) && !id.equals(baseId)) {
                    drop(id);
                }
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * The source has been read once in full. Before that nobody may copy this store: a reader would take what is still
     * missing for deleted.
     */
    public void markComplete() {
        lock.writeLock().lock();
        try {
            complete = true;
            changed.signalAll();
        } finally {
            lock.writeLock().unlock();
        }
    }

    public boolean complete() {
        return read(() -> complete);
    }

    /** Number of accounts. */
    public int users() {
        return read(() -> accounts);
    }

    Names names() {
        return read(() -> Names.of(entries.values().stream().map(PackedEntry::entry)));
    }

    /** Number of entries, with the base and the parents. */
    public int size() {
        return read(() -> entries.size());
    }

    /** The user with exactly this name: case counts, as it does for the operating system. */
    public Optional<PosixUser> user(String name) {
        return found("uid", name).stream()
                .flatMap(entry -> PosixUser.of(entry).stream())
                .filter(user -> user.name().equals(name))
                .findFirst()
                .filter(user -> sameAccounts(user.name(), user.uidNumber()).size() < 2);
    }

    /** The user with this number, when nobody shares it or the name. */
    public Optional<PosixUser> user(long uidNumber) {
        return found("uidNumber", Long.toString(uidNumber)).stream()
                .flatMap(entry -> PosixUser.of(entry).stream())
                .filter(user -> user.uidNumber() == uidNumber)
                .findFirst()
                .filter(user -> sameAccounts(user.name(), uidNumber).size() < 2);
    }

    /**
     * Names (DN) of all accounts with this login, letters' case aside, or this number, sorted. Two or more mean that
     * nobody can tell who is meant: then there is no {@link #user} of that login or number.
     */
    public List<String> sameAccounts(String name, long uidNumber) {
        return Stream.concat(found("uid", name).stream(), found("uidNumber", Long.toString(uidNumber)).stream())
                .filter(DirectoryStore::isAccount)
                .map(Entry::getDN)
                .distinct()
                .sorted()
                .toList();
    }

    /** Names (DN) of all accounts with this number, sorted. */
    public List<String> accountsOf(long uidNumber) {
        return found("uidNumber", Long.toString(uidNumber)).stream()
                .filter(DirectoryStore::isAccount)
                .map(Entry::getDN)
                .sorted()
                .toList();
    }

    /** Names (DN) of accounts that share a login or a number, each set once, at most so many sets. */
    public List<List<String>> confusions(int most) {
        return read(() -> Stream.of("uid", "uidNumber")
                .flatMap(attribute -> index.shared(attribute))
                .map(ids -> ids.stream()
                        .flatMap(id -> unpacked(id).stream())
                        .filter(DirectoryStore::isAccount)
                        .map(Entry::getDN)
                        .sorted()
                        .toList())
                .filter(names -> names.size() > 1)
                .distinct()
                .limit(most)
                .toList());
    }

    /** The address that a user's entry says; empty when it says none. */
    public String mail(String name) {
        return found("uid", name).stream()
                .filter(entry -> PosixUser.of(entry).isPresent())
                .map(entry -> entry.getAttributeValue("mail"))
                .filter(java.util.Objects::nonNull)
                .sorted()
                .findFirst()
                .orElse("");
    }

    /** All groups that a user is in, the primary one among them when it is here; none for an unknown name. */
    public List<PosixGroup> groupsOf(String name) {
        List<Entry> candidates = new ArrayList<>(found("memberUid", name));
        Optional<PosixUser> user = user(name);
        user.ifPresent(known -> candidates.addAll(found("gidNumber", Long.toString(known.gidNumber()))));
        return candidates.stream()
                .flatMap(entry -> PosixGroup.of(entry).stream())
                .filter(group -> group.members().contains(name)
                        || (user.isPresent() && user.get().gidNumber() == group.gidNumber()))
                .distinct()
                .toList();
    }

    /** Login names of all who are in the group of that name, those whose primary group it is too, sorted. */
    public List<String> members(String group) {
        var members = new java.util.TreeSet<String>();
        for (Entry entry : found("cn", group)) {
            PosixGroup.of(entry).filter(one -> one.name().equals(group)).ifPresent(one -> {
                members.addAll(one.members());
                found("gidNumber", Long.toString(one.gidNumber())).stream()
                        .flatMap(user -> PosixUser.of(user).stream())
                        .forEach(user -> members.add(user.name()));
            });
        }
        return List.copyOf(members);
    }

    private List<Entry> found(String attribute, String value) {
        return read(() -> index.equal(attribute, value).stream()
                .flatMap(id -> unpacked(id).stream())
                .filter(entry -> entry.hasAttributeValue(attribute, value))
                .<Entry>map(entry -> entry)
                .toList());
    }

    /** Waits until a condition holds; it is looked at after every change. Returns whether it held in time. */
    public boolean await(Predicate<DirectoryStore> condition, Duration patience) throws InterruptedException {
        long nanos = patience.toNanos();
        lock.writeLock().lock();
        try {
            while (!condition.test(this)) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = changed.awaitNanos(nanos);
            }
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** @return null when there is no such base */
    @Nullable
    List<ReadOnlyEntry> search(DN from, SearchScope scope, Filter filter) throws LDAPException {
        lock.readLock().lock();
        try {
            Optional<UUID> there = named(from);
            if (there.isEmpty()) {
                return null;
            }
            Set<UUID> candidates = scope.equals(SearchScope.BASE) ? Set.of(there.get()) : index.candidates(filter);
            List<ReadOnlyEntry> result = new ArrayList<>();
            for (UUID id : candidates == null ? entries.keySet() : candidates) {
                ReadOnlyEntry entry = unpacked(id).orElse(null);
                if (entry != null && entry.matchesBaseAndScope(from, scope) && filter.matchesEntry(entry)) {
                    result.add(entry);
                }
            }
            return result;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** All entries, and the number of the last change that they hold. */
    record Snapshot(long number, Map<UUID, PackedEntry> entries) {}

    Snapshot snapshot() {
        return read(() -> new Snapshot(log.last(), new LinkedHashMap<>(entries)));
    }

    static DN parsed(Entry entry) {
        try {
            return entry.getParsedDN();
        } catch (LDAPException e) {
            throw new IllegalArgumentException(entry.getDN() + " is not a distinguished name", e);
        }
    }
}
