package org.spillway.head.service;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.CheckView;
import org.spillway.api.JobSubmission;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.WorkloadSettings;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.Lifetime;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.rest.Caller;
import org.spillway.policy.Limits;

/**
 * Judges a submission against the configuration, what the sites offer, other jobs, and its user's files, before anything
 * is written. The files are looked at again when they are staged later than at once: much may change until then.
 */
final class Admission {
    private final HeadConfig config;
    private final AllowedSites where;
    private final Prerequisites prerequisites;
    private final InputLook inputs;
    private final OutputLook outputs;
    private final ContainerLook containers;
    private final UserGroups groups;
    private final HomeWords homes;
    private final int ownUid;
    private final Function<Instant, Optional<Lifetime.Bounds>> life;

    Admission(
            HeadConfig config,
            AllowedSites where,
            Prerequisites prerequisites,
            InputLook inputs,
            UserGroups groups,
            int ownUid,
            Function<Instant, Optional<Lifetime.Bounds>> life) {
        this.config = config;
        this.where = where;
        this.prerequisites = prerequisites;
        this.inputs = inputs;
        this.outputs = new OutputLook(inputs.stager(), new RecentLooks());
        this.containers = new ContainerLook(inputs.stager());
        this.groups = groups;
        this.homes = new HomeWords(config);
        this.ownUid = ownUid;
        this.life = life;
    }

    /** @throws ApiException with what is wrong, and what is allowed */
    Judgement judge(Caller caller, JobSubmission asked, String key, Instant now) {
        Optional<WorkloadSettings> other = config.workload().foreign();
        if (other.isPresent()) {
            throw new ApiException(
                    Code.CONFLICT,
                    "this head takes its jobs from " + other.get().title(),
                    other.get().submitThere());
        }
        JobSpec.Owner owner = owner(caller);
        HeadConfig.Queue queue = queue(asked.queue());
        Walltime walltime = Walltime.of(queue, asked, life.apply(now));
        JobSpec.Need need = JobSpec.Need.of(asked, walltime.length(), walltime.usual());
        prerequisites.check(caller, asked.after());
        // Checks that no file can change come first: a user's worker is not started for nothing.
        AllowedSites.Choice widest = where.choose(queue, asked, need, "", now);
        JobSpec named =
                spec(asked, owner, queue, widest.sites(), need, terms(asked, owner, now), Tasks.key(key, asked), now);
        if (Orders.weight(named) > Orders.MOST_WEIGHT) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "the script, its arguments and environment are too large to be told to " + named.nodes() + " nodes",
                    "put what is large into an input file (--in)");
        }
        ContainerLook.Found image = containers.look(named, asked.container(), queue.container());
        JobSpec spec = image.spec();
        InputLook.Seen seen = inputs.look(spec, asked.array());
        List<Stager.Found> found = seen.found();
        String pinned = found.stream()
                .map(Stager.Found::pinned)
                .filter(path -> !path.isEmpty())
                .findFirst()
                .orElse("");
        AllowedSites.Choice choice = where.choose(queue, asked, need, pinned, now);
        List<CheckView.FoundInput> views = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            JobSpec.Input input = spec.inputs().get(i);
            views.add(new CheckView.FoundInput(
                    input.pattern(),
                    input.target(),
                    found.get(i).files(),
                    found.get(i).bytes()));
        }
        List<String> notes = new ArrayList<>(choice.notes());
        if (!walltime.note().isEmpty()) {
            notes.add(walltime.note());
        }
        if (!seen.missing().isEmpty()) {
            notes.add("its input is looked at again when what it waits for has ended: " + seen.missing());
        }
        if (!image.note().isEmpty()) {
            notes.add(image.note());
        }
        int unsized = found.stream().mapToInt(Stager.Found::unsized).sum();
        if (unsized > 0) {
            notes.add("nobody says how large " + unsized + " of its input files are: they count when they have come");
        }
        long bytes = found.stream().mapToLong(Stager.Found::bytes).sum()
                / asked.array().size();
        notes.addAll(outputs.look(spec, asked.array(), bytes));
        notes.addAll(homes.notes(choice.sites()));
        notes.addAll(ForwardWords.notes(config, choice.sites(), groups.namesOf(spec.user())));
        return new Judgement(spec.at(choice.sites()), asked.array().size(), views, notes);
    }

    HomeWords homes() {
        return homes;
    }

    /** Whose files and jobs the caller's are. @throws ApiException if the caller cannot have any */
    JobSpec.Owner owner(Caller caller) {
        String user = groups.nameOf(caller.uid(), caller.user());
        known(user, caller.uid());
        return new JobSpec.Owner(user, caller.uid(), gidOf(user));
    }

    private static JobSpec spec(
            JobSubmission asked,
            JobSpec.Owner owner,
            HeadConfig.Queue queue,
            List<String> sites,
            JobSpec.Need need,
            JobSpec.Terms terms,
            JobSpec.Key key,
            Instant now) {
        return JobSpec.asked(asked, draft -> {
            draft.owner = owner;
            draft.queue = queue.name();
            draft.sites = sites;
            draft.need = need;
            draft.idempotencyKey = key;
            draft.submittedAt = now;
            draft.terms = terms;
        });
    }

    /** The account is a group of the user, so that nobody is charged for what others do. */
    private JobSpec.Terms terms(JobSubmission asked, JobSpec.Owner owner, Instant now) {
        JobSubmission.Terms wanted = asked.terms();
        String account = wanted.account();
        if (account.isEmpty()) {
            account = groups.primaryOf(owner.user(), owner.gid());
        } else if (!groups.namesOf(owner.user()).contains(account)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + owner.user() + " is not in group " + account + ", and cannot charge it",
                    "accounts of " + owner.user() + ": " + String.join(", ", groups.namesOf(owner.user())));
        }
        wanted.licences().forEach(this::exists);
        return JobSpec.Terms.of(wanted, account, now);
    }

    /** A job with more licences than there are would wait for ever. */
    private void exists(String licence, int count) {
        config.limits().stream()
                .filter(cap -> cap.scope() == Limits.Scope.LICENCE && cap.name().equals(licence) && cap.most() < count)
                .findFirst()
                .ifPresent(cap -> {
                    throw new ApiException(
                            Code.LIMIT_EXCEEDED,
                            "there are " + cap.most() + " of licence " + licence + ", and it asks for " + count,
                            "ask for less");
                });
    }

    /** How many jobs users may have in the queue. */
    Allowance allowance() {
        return new Allowance(config.submissions());
    }

    /** A node finds its user in the directory, by name and number, or it refuses the job: better to say so now. */
    void known(String user, int uid) {
        if (ownUid != 0 && uid != ownUid) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "this head does not run as root and takes jobs of its own user (uid " + ownUid + ") only",
                    "a head for several users runs as root");
        }
        if (uid != ownUid && uid < config.directory().minUid()) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "uid " + uid + " is below directory.minUid "
                            + config.directory().minUid(),
                    "submit as an ordinary user");
        }
        if (!PosixUser.isLogin(user)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "a node does not take the login '" + user.replaceAll("\\p{Cntrl}", "?") + "'",
                    "allowed: up to 64 letters, digits and . _ @ $ -, the first a letter, a digit or _");
        }
        List<String> confused = groups.confusedWith(user, uid);
        if (!confused.isEmpty()) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + user + " (uid " + uid + ") cannot be told apart in the cluster's directory: "
                            + String.join(" and ", confused),
                    "ask the administrator: each login and each uid is one account's");
        }
        if (!groups.findsOut(user, uid)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + user + " (uid " + uid + ") is not in the cluster's directory"
                            + groups.refusal(user).map(why -> ": " + why).orElse(""),
                    "ask the administrator: 'directory:' says where users come from and the smallest uid");
        }
    }

    /** The directory's word alone: a number that is guessed here would be somebody else's group there. */
    private int gidOf(String user) {
        return groups.gidOf(user)
                .orElseThrow(() -> new ApiException(
                        Code.FORBIDDEN,
                        "user " + user + " has no primary group in the cluster's directory that a job can have",
                        "ask the administrator: gidNumber is 0 to " + Integer.MAX_VALUE));
    }

    private HeadConfig.Queue queue(String name) {
        Optional<HeadConfig.Queue> queue = name.isEmpty()
                ? config.defaultQueue()
                : Optional.ofNullable(config.queues().get(name));
        return queue.orElseThrow(() -> new ApiException(
                Code.UNKNOWN_QUEUE,
                name.isEmpty() ? "no queue was named and none is the default" : "there is no queue '" + name + "'",
                "queues: " + String.join(", ", config.queues().keySet())));
    }
}
