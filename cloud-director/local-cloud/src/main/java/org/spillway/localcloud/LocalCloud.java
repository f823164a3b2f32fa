package org.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.InstanceRecord.Ending;

/** The API's requests, carried out. Launches are one after the other; all else runs side by side. */
final class LocalCloud implements CloudBehind {
    private static final Logger LOG = LoggerFactory.getLogger(LocalCloud.class);
    /** On instances of a fabric group. */
    static final String TAG_FABRIC_GROUP = "local-fabric-group";

    private final StateDirectory state;
    private final LocalCloudConfig config;
    private final Addresses addresses;
    private final InstanceSource clock;
    private final FaultBox faults = new FaultBox();
    private final LaunchTokens tokens;
    private final PaperLedger paper;
    private final ConcurrentSkipListMap<String, Machine> machines = new ConcurrentSkipListMap<>();
    private final Set<String> usedAddresses = ConcurrentHashMap.newKeySet();
    private final ReentrantLock launching = new ReentrantLock();
    private final Allotment allotment;
    /** Where instances are answered about themselves, since before {@link #adopt}; empty for nowhere. */
    volatile String metadata = "";

    LocalCloud(StateDirectory state, LocalCloudConfig config, Addresses addresses, InstantSource clock)
            throws IOException {
        this.state = state;
        this.config = config;
        faults.wear(config.manner());
        this.addresses = addresses;
        this.clock = new InstanceSource(clock);
        this.tokens = new LaunchTokens(state.root().resolve("tokens"));
        this.paper = PaperLedger.open(state.root().resolve("paper.log"));
        this.allotment = new Allotment(config, addresses, faults, machines, usedAddresses);
        config.faults().forEach(faults::add);
    }

    /** Milliseconds are enough, and survive JSON on every machine. */
    record InstanceSource(InstantSource source) {
        Instant now() {
            return Instant.ofEpochMilli(source.millis());
        }
    }

    LocalCloudConfig config() {
        return config;
    }

    FaultBox faults() {
        return faults;
    }

    @Override
    public Manner manner() {
        return faults.manner();
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public List<String> zones() {
        return config.zones();
    }

    @Override
    public List<MachineType> types() {
        return config.types();
    }

    @Override
    public Path stateFor(String api) throws IOException {
        Path folder = state.root().resolve("api").resolve(api);
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return folder;
    }

    @Override
    public Optional<Fault> strikes(Fault.Kind kind, String type, String zone) {
        return faults.take(kind, type, zone);
    }

    Collection<Machine> machines() {
        return machines.values();
    }

    /** Takes over what an earlier process of this cloud left. */
    void adopt() throws IOException {
        List<Path> directories;
        try (Stream<Path> listing = Files.list(state.root().resolve("instances"))) {
            directories = listing.toList();
        }
        for (Path directory : directories) {
            Path file = directory.resolve("instance.json");
            if (!Files.exists(file)) {
                // A launch that was cut before it was answered, or a console that is kept.
                if (!Files.exists(directory.resolve("console.log"))) {
                    Machine.deleteTree(directory);
                }
                continue;
            }
            Machine machine = register(StateDirectory.JSON.readValue(file.toFile(), InstanceRecord.class));
            try {
                if (!machine.adopt()) {
                    end(machine, Ending.NONE, "its processes were gone when the cloud started");
                }
            } catch (IOException cannot) {
                LOG.warn(
                        "{} runs, but its SSH server does not: {}",
                        machine.instance().id(),
                        cannot.toString());
            }
            Instance.State now = machine.instance().state();
            if (now == Instance.State.TERMINATING || now == Instance.State.STOPPING) {
                powerOffLater(machine);
            }
        }
        for (InstanceRecord instance : paper.all()) {
            Machine machine = register(instance);
            if (instance.state() == Instance.State.TERMINATING || instance.state() == Instance.State.STOPPING) {
                powerOffLater(machine);
            }
        }
        tokens.forgetBefore(now().minus(LaunchTokens.KEPT));
    }

    private Machine register(InstanceRecord instance) {
        Machine machine = machine(instance);
        usedAddresses.add(instance.address());
        machines.put(instance.id(), machine);
        return machine;
    }

    private Machine machine(InstanceRecord instance) {
        String program = config.type(instance.type()).map(MachineType::machine).orElse("");
        String about = metadata.isEmpty() ? "" : metadata + "/" + instance.id();
        return new Machine(instance, state.instance(instance.id()), paper, program, about, this::isInstanceAddress);
    }

    /** An instance that has ended is listed for a while, but its address may be given again. */
    private boolean isHeld(String address) {
        return machines.values().stream()
                .map(Machine::instance)
                .anyMatch(instance ->
                        instance.address().equals(address) && instance.state() != Instance.State.TERMINATED);
    }

    private boolean isInstanceAddress(String address) {
        return usedAddresses.contains(address);
    }

    /** Everything is on disk when this returns; called again with the same token it gives the same. */
    Launch launch(LaunchCommand command) throws ApiError, IOException {
        return launch(command, List.of());
    }

    @Override
    public Launch launch(LaunchCommand command, List<String> ids) throws ApiError, IOException {
        return launch(command, ids, "");
    }

    /**
     * As the hypervisor of another cloud, which has given it an id and an address.
     *
     * @param address in the network of this cloud that nobody has
     */
    Launch host(LaunchCommand command, String id, String address) throws ApiError, IOException {
        if (!id.matches("[A-Za-z0-9-]{1,64}") || command.count() != 1) {
            throw ApiError.invalid("id is up to 64 letters, digits and dashes, and count is 1");
        }
        if (!address.startsWith(addresses.network() + ".")) {
            throw ApiError.invalid("address is one of " + addresses.network() + ", found '" + address + "'");
        }
        return launch(command, List.of(id), address);
    }

    /** @param address of the one instance; empty to choose */
    private Launch launch(LaunchCommand command, List<String> ids, String address) throws ApiError, IOException {
        command.check();
        String fingerprint = command.fingerprint();
        launching.lock();
        try {
            Optional<LaunchTokens.Remembered> before = tokens.find(command.token());
            if (before.isPresent()) {
                return again(before.get(), fingerprint);
            }
            if (isHeld(address)) {
                throw ApiError.invalid("address " + address + " is in use");
            }
            return first(command, ids, address, fingerprint);
        } finally {
            launching.unlock();
        }
    }

    private Launch again(LaunchTokens.Remembered before, String fingerprint) throws ApiError {
        if (!before.fingerprint().equals(fingerprint)) {
            throw new ApiError(400, ApiError.MISMATCH, "this client token was used with other parameters");
        }
        List<InstanceRecord> instances = new ArrayList<>();
        for (InstanceRecord old : before.instances()) {
            Machine machine = machines.get(old.id());
            instances.add(machine == null ? old.ended(now()) : machine.instance());
        }
        return new Launch(instances, before.reason(), before.message(), before.parts());
    }

    private Launch first(LaunchCommand command, List<String> ids, String address, String fingerprint)
            throws ApiError, IOException {
        List<LaunchCommand.Choice> choices =
                command.choices().stream().distinct().toList();
        if (choices.size() == 1) {
            allotment.check(choices.getFirst(), command.fabricGroup());
        }
        List<InstanceRecord> made = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        for (LaunchCommand.Choice choice : choices) {
            Part part = allotment.of(choice, command.fabricGroup(), command.count() - made.size(), made.size());
            for (int i = 0; i < part.count(); i++) {
                String id = made.size() < ids.size() ? ids.get(made.size()) : Allotment.newId();
                made.add(allotment.describe(command, choice, id, address, now()));
            }
            parts.add(part);
            // Whoever has not enough may be helped by another; a wrong credential or a throttle may not.
            if (made.size() == command.count()
                    || !List.of("CAPACITY", "QUOTA", "INVALID").contains(part.reason())) {
                break;
            }
        }
        Part told = parts.getFirst();
        String reason = made.size() == command.count() ? "" : told.reason();
        String message = reason.isEmpty() ? "" : told.message();
        if (made.isEmpty() && choices.size() == 1) {
            throw new ApiError(400, reason, message);
        }
        Launch launch = new Launch(made, reason, message, choices.size() == 1 ? List.of() : parts);
        if (made.isEmpty()) {
            return launch;
        }
        // First the token: after a crash in between, a repeated call may find less, but never launches a twin.
        tokens.remember(
                command.token(),
                new LaunchTokens.Remembered(fingerprint, now(), made, reason, message, launch.parts()));
        create(made, command.userData());
        return launch;
    }

    private void create(List<InstanceRecord> made, String userData) throws IOException {
        paper.write(made.stream().filter(instance -> !instance.process()).toList());
        for (InstanceRecord instance : made) {
            Machine machine = machine(instance);
            if (instance.process()) {
                int gpus = config.type(instance.type())
                        .map(type -> type.resources().gpus())
                        .orElse(0);
                machine.create(userData, state.root().resolve("poweroff"), gpus, faults);
            }
            machines.put(instance.id(), machine);
        }
    }

    /**
     * Instances that bear all of {@code tags}, behind {@code after} in the order of their ids, at most {@code limit}.
     */
    @Override
    public List<InstanceRecord> list(Map<String, String> tags, String after, int limit) {
        if (!after.isEmpty() && faults.take(Fault.Kind.REPEATED_PAGE, "", "").isPresent()) {
            // The page that ended there, once more; it ends there again.
            return visible(machines.headMap(after, true).descendingMap(), tags, limit)
                    .reversed();
        }
        return visible(machines.tailMap(after, false), tags, limit);
    }

    private List<InstanceRecord> visible(Map<String, Machine> among, Map<String, String> tags, int limit) {
        Instant now = now();
        return among.values().stream()
                .map(Machine::instance)
                .filter(instance -> bears(instance, tags) && !now.isBefore(instance.visibleAt()))
                .limit(limit)
                .toList();
    }

    private static boolean bears(InstanceRecord instance, Map<String, String> tags) {
        return instance.tags().entrySet().containsAll(tags.entrySet());
    }

    @Override
    public Optional<InstanceRecord> find(String id) {
        return Optional.ofNullable(machines.get(id)).map(Machine::instance);
    }

    @Override
    public String console(String id, int limitBytes) throws IOException {
        Machine machine = machines.get(id);
        return machine == null ? "" : machine.console(limitBytes);
    }

    @Override
    public void terminate(Collection<String> ids) throws IOException {
        terminate(ids, Map.of());
    }

    @Override
    public void stop(Collection<String> ids) throws IOException {
        stop(ids, Map.of());
    }

    @Override
    public void start(Collection<String> ids) throws IOException, ApiError {
        start(ids, Map.of());
    }

    @Override
    public void tag(String id, Map<String, String> tags) throws IOException {
        Machine machine = machines.get(id);
        if (machine != null) {
            machine.retag(tags);
        }
    }

    Optional<Machine> find(String id, Map<String, String> tags) {
        return Optional.ofNullable(machines.get(id)).filter(machine -> bears(machine.instance(), tags));
    }

    /** Accepted means written down: it happens, also when this process dies now. */
    void terminate(Collection<String> ids, Map<String, String> tags) throws IOException {
        for (Machine machine : chosen(ids, tags)) {
            end(machine, Ending.REQUESTED, "terminated by request");
        }
    }

    void end(Machine machine, Ending ending, String why) throws IOException {
        if (machine.begin(Instance.State.TERMINATING, ending, why)) {
            powerOffLater(machine);
        }
    }

    void stop(Collection<String> ids, Map<String, String> tags) throws IOException {
        for (Machine machine : chosen(ids, tags)) {
            if (machine.begin(Instance.State.STOPPING, Ending.REQUESTED, "stopped by request")) {
                powerOffLater(machine);
            }
        }
    }

    void start(Collection<String> ids, Map<String, String> tags) throws IOException, ApiError {
        launching.lock();
        try {
            for (Machine machine : chosen(ids, tags)) {
                InstanceRecord instance = machine.instance();
                Optional<MachineType> type = config.type(instance.type());
                if (instance.state() == Instance.State.STOPPED) {
                    if (instance.hasFailed()
                            || type.isEmpty()
                            || allotment.capacityLeft(type.get(), instance.zone()) == 0) {
                        throw new ApiError(400, "CAPACITY", "zone " + instance.zone() + " has no " + instance.type());
                    }
                    machine.bootAt(now().plus(type.get().bootTime()));
                }
            }
        } finally {
            launching.unlock();
        }
    }

    private List<Machine> chosen(Collection<String> ids, Map<String, String> tags) {
        return new HashSet<>(ids)
                .stream().flatMap(id -> find(id, tags).stream()).toList();
    }

    private void powerOffLater(Machine machine) {
        Thread.startVirtualThread(() -> powerOff(machine));
    }

    /** If it fails, the clock asks again. */
    void powerOff(Machine machine) {
        try {
            machine.powerOff(now());
        } catch (IOException | RuntimeException failed) {
            LOG.warn("{} does not end yet: {}", machine.instance().id(), failed.toString());
        }
    }

    /** Takes an instance that ended long ago off the list. Its console stays. */
    void forget(Machine machine) throws IOException {
        machines.remove(machine.instance().id());
        if (!isHeld(machine.instance().address())) {
            usedAddresses.remove(machine.instance().address());
        }
        paper.forget(machine.instance().id());
        Files.deleteIfExists(machine.directory().resolve("instance.json"));
        if (!Files.exists(machine.directory().resolve("console.log"))) {
            Machine.deleteTree(machine.directory());
        }
    }

    /** For tests and for the curious. */
    Map<String, Object> describeAll() {
        Map<String, Object> all = new HashMap<>();
        all.put("pid", ProcessHandle.current().pid());
        all.put("network", addresses.network());
        all.put("faults", faults.all());
        all.put("instances", machines.values().stream().map(Machine::instance).toList());
        return all;
    }

    /** Closes what this process holds; instances run on. */
    void close() {
        for (Machine machine : machines.values()) {
            try {
                machine.disconnect();
            } catch (IOException ending) {
                LOG.debug("closing {}: {}", machine.instance().id(), ending.toString());
            }
        }
        try {
            paper.close();
        } catch (IOException ending) {
            LOG.debug("closing: {}", ending.toString());
        }
    }

    static final Duration LISTED_AFTER_END = Duration.ofSeconds(60);
}
