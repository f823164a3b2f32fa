package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Code that no program of the house reaches is gone. A program begins at a {@code main}, at a service that a file names, and at
 * the API of policies, which users write. Left aside are constructors that only keep a class from being made.
 */
final class DeadCodeTest {
    /** By these, tests look inside or begin; the list may only shrink, and each is named by a test. */
    private static final Set<String> FOR_TESTS = Set.of(
            "cloud.ErrorTable#rows()",
            "cloud.catalogue.CataloguedSite#catalogue()",
            "director.SiteIdentities#port()",
            "director.directory.DirectoryReplica#awaitUser(String,Duration)",
            "director.directory.DirectoryReplica#consumer()",
            "director.directory.DirectoryReplica#groupsOf(String)",
            "director.directory.DirectoryReplica#store()",
            "director.directory.DirectoryReplica#user(String)",
            "head.cause.Codes#all()",
            "head.journal.MemoryJournalStore#fill(boolean)",
            "head.journal.PackedText#text()",
            "head.journal.SqliteJournalStore#pragma(String)",
            "head.limits.Figures#groups()",
            "head.limits.RunTimes#figures()",
            "head.loop.settings.LoopSettings#with(LoopSettings$Lease)",
            "head.loop.settings.LoopSettings#with(LoopSettings$Limits)",
            "head.rest.RestServer#connections()",
            "head.service.SteadyClock#offset()",
            "head.web.WebServer#strangers()",
            "head.web.WebServer#streams()",
            "policy.builtin.BuiltInPolicies#all()",
            "proof.demo.Answer#text()",
            "proof.faultsim.FaultSimulation#run(long,LoopFactory,boolean)",
            "scaler.Scaler#new(DemandSource,Fleet,SpendLedger,ScalingPolicy,Record,ZoneId)",
            "scaler.Scaler#tick(Instant)",
            "scaler.plan.Step#reason()",
            "scaler.policyhost.ChildProcess#pid()",
            "scaler.policyhost.Nursery#folder()",
            "settings.ConfigMistakes#mistakes()",
            "slurm.settings.PendingReason#word()",
            "stage.tree.Glob#matches(String)",
            "stage.worker.UserWorkers#processes()");

    /** Read by name: annotations of a submission's fields. */
    private static final Predicate<ClassModel> READ_BY_NAME =
            model -> model.flags().has(AccessFlag.ANNOTATION);

    @Test
    void nobodyIsThereWhomNobodyReaches() throws IOException {
        Map<String, ClassModel> main = HouseClasses.ofMain();
        Reach reach = new Reach(main);
        main.forEach((name, model) -> {
            if (model.methods().stream()
                    .anyMatch(method -> method.methodName().equalsString("main")
                            && method.flags().has(AccessFlag.STATIC))) {
                reach.beginAt(name);
            }
        });
        HouseClasses.services().forEach(reach::beginAt);
        main.keySet().stream()
                .filter(name -> name.startsWith("org/spillway/policy/") && !name.contains("/builtin/"))
                .forEach(reach::beginAtAll);

        assertThat(main).as("classes of all modules").hasSizeGreaterThan(2000);
        assertThat(unreached(main, reach)).as("without tests").containsAll(FOR_TESTS);
        main.forEach((name, model) -> model.methods().stream()
                .filter(method -> FOR_TESTS.contains(said(name, method)))
                .forEach(method -> reach.beginAt(name, method)));
        assertThat(unreached(main, reach)).as("with tests").isEmpty();
    }

    @Test
    void whatIsForTestsIsNamedByOne() throws IOException {
        Collection<String> tests = HouseSources.of("test").values();
        assertThat(FOR_TESTS).allSatisfy(member -> {
            String[] parts = member.replaceAll("\\(.*", "").split("#", 2);
            String type = parts[0].replaceAll(".*[.$]", "");
            Pattern used = Pattern.compile(
                    parts.length == 1 || parts[1].equals("new")
                            ? "\\bnew (\\w+\\.)?" + type + "\\b"
                            : "\\b" + parts[1] + "\\b");
            String word = parts.length == 1 || parts[1].equals("new") ? type : parts[1];
            assertThat(tests)
                    .anyMatch(test -> test.contains(word) && used.matcher(test).find());
        });
    }

    /** Deaf, what only Deaf calls, and an overload: none of them is called by Begins. */
    @Test
    void aClassAndAMethodThatNobodyReachesAreFound() throws IOException {
        Map<String, ClassModel> planted = HouseClasses.of(Begins.class, Way.class, Taken.class, Deaf.class);
        Reach reach = new Reach(planted);
        reach.beginAt(Begins.class.getName().replace('.', '/'));

        assertThat(unreached(planted, reach))
                .containsExactly(
                        "proof.DeadCodeTest$Begins#twice(int)",
                        "proof.DeadCodeTest$Deaf",
                        "proof.DeadCodeTest$Taken#back()",
                        "proof.DeadCodeTest$Way#back()");
    }

    private static Set<String> unreached(Map<String, ClassModel> main, Reach reach) {
        Set<String> found = new TreeSet<>();
        main.forEach((name, model) -> {
            if (READ_BY_NAME.test(model) || model.flags().has(AccessFlag.SYNTHETIC)) {
                return;
            }
            if (!reach.has(name)) {
                boolean room = main.keySet().stream().anyMatch(one -> one.startsWith(name + "$") && reach.has(one));
                if (!room) {
                    found.add(said(name));
                }
                return;
            }
            for (MethodModel method : model.methods()) {
                if (!reach.has(name, method)
                        && !method.flags().has(AccessFlag.SYNTHETIC)
                        && !keepsFromBeingMade(method)) {
                    found.add(said(name, method));
                }
            }
        });
        return found;
    }

    private static String said(String type) {
        return type.replace("org/spillway/", "").replace('/', '.');
    }

    private static String said(String type, MethodModel method) {
        return said(type) + "#" + method.methodName().stringValue().replace("<init>", "new")
                + method.methodTypeSymbol().displayDescriptor().replaceAll("\\).*", ")");
    }

    private static boolean keepsFromBeingMade(MethodModel method) {
        return method.methodName().equalsString("<init>")
                && method.methodTypeSymbol().parameterCount() == 0
                && method.flags().has(AccessFlag.PRIVATE);
    }

    static final class Begins {
        private Begins() {}

        public static void main(String[] arguments) {
            Way way = new Taken();
            Runnable later = way::there;
            later.run();
        }

        static int twice(int count) {
            return twice(count, 2);
        }

        static int twice(int count, int times) {
            return count * times;
        }
    }

    interface Way {
        void there();

        void back();
    }

    static final class Taken implements Way {
        @Override
        public void there() {
            Begins.twice(1, 1);
        }

        @Override
        public void back() {
            Deaf.call();
        }
    }

    static final class Deaf {
        private Deaf() {}

        static void call() {
            new Deaf();
        }
    }
}
