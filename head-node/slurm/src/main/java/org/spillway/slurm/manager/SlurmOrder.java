package org.spillway.slurm.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** An order to slurmctld; saying it again does no harm. */
sealed interface SlurmOrder {
    /** The command, as an argument vector. */
    List<String> arguments();

    /** Where slurmctld finds the slot's slurmd. */
    record Address(String slot, String address) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "nodename=" + slot, "nodeaddr=" + address);
        }
    }

    /** No further job is given to it. */
    record Drain(String slot, String reason) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "nodename=" + slot, "state=drain", "reason=" + OURS + clean(reason));
        }
    }

    record Resume(String slot) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "nodename=" + slot, "state=resume");
        }
    }

    /** The node's machine is no more: what runs there is requeued. */
    record Down(String slot) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of(
                    "scontrol", "update", "nodename=" + slot, "state=down", "reason=" + OURS + "the node is gone");
        }
    }

    /** @param reason shown with the slot until its next node comes; empty to leave what is there */
    record PowerDown(String slot, String reason) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            List<String> words = new ArrayList<>(List.of("scontrol", "update", "nodename=" + slot, "state=power_down"));
            if (!reason.isEmpty()) {
                words.add("reason=" + OURS + clean(reason));
            }
            return List.copyOf(words);
        }
    }

    record Reserve(TreeSet<String> slots) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of(
                    "scontrol",
                    "create",
                    "reservation",
                    "reservationname=" + RESERVATION,
                    "starttime=now+" + AHEAD.toSeconds(),
                    "endtime=now+" + RESERVED.toSeconds(),
                    "user=root",
                    "flags=maint,ignore_jobs",
                    "nodes=" + String.join(",", slots));
        }
    }

    /** The same for a minute from now on, over one that is there, while that is made anew. It ends by itself if nobody ends it. */
    record Bridge(TreeSet<String> slots) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of(
                    "scontrol",
                    "create",
                    "reservation",
                    "reservationname=" + BRIDGE,
                    "starttime=now",
                    "duration=1",
                    "user=root",
                    "flags=maint,overlap,ignore_jobs",
                    "nodes=" + String.join(",", slots));
        }
    }

    record Unbridge() implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "delete", "reservation=" + BRIDGE);
        }
    }

    /** The head goes, and does not know for how long. */
    record Stay() implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of(
                    "scontrol", "update", "reservationname=" + RESERVATION, "endtime=now+" + AWAY.toHours() + "hours");
        }
    }

    /** The whole list: 22.05 knows no other way. */
    record Members(TreeSet<String> slots) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "reservationname=" + RESERVATION, "nodes=" + String.join(",", slots));
        }
    }

    /** @param ahead whether it has not begun: then it is put off once more */
    record Renew(boolean ahead) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            List<String> words = new ArrayList<>(List.of("scontrol", "update", "reservationname=" + RESERVATION));
            if (ahead) {
                words.add("starttime=now+" + AHEAD.toSeconds());
            }
            words.add("endtime=now+" + RESERVED.toSeconds());
            return List.copyOf(words);
        }
    }

    /** An empty list of nodes would mean all of the default partition. */
    record Unreserve() implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "delete", "reservation=" + RESERVATION);
        }
    }

    /** Jobs may be given its nodes: slurm.conf says DOWN, so that a slurmctld which has just read it gives nobody any. */
    record Open(String partition) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            // The least number of nodes is 1 for every job; said, it tells an administrator's DOWN from slurm.conf's
            // own.
            return List.of("scontrol", "update", "partitionname=" + partition, "state=up", "minnodes=1");
        }
    }

    /** As slurm.conf says it: the next head opens it. */
    record Close(String partition) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "partitionname=" + partition, "state=down", "minnodes=0");
        }
    }

    /** @param job digits, or {@code ARRAY_TASK} */
    record Narrow(String job, String partition) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "jobid=" + job, "partition=" + partition);
        }
    }

    record Comment(String job, String sentence) implements SlurmOrder {
        public Comment {
            sentence = clean(sentence);
        }

        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "jobid=" + job, "admincomment=" + sentence);
        }
    }

    /**
     * The job need not wait for the two minutes that Slurm lets a requeued job wait, but for the next second: a slurmd
     * refuses a credential that is not of a later second than the end of the job's last run there, and slurmctld then
     * fails the job. And for a few more: a busy slurmd that has not yet done with the last run starts the next one
     * without its Prolog.
     */
    record StartAgain(String job) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "jobid=" + job, "starttime=now+5");
        }
    }

    /** The job is taken off its nodes, and runs again. */
    record Requeue(String job) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "requeue", job);
        }
    }

    /** The job is held no longer. */
    record Release(String job) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "release", job);
        }
    }

    record Cancel(String job) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scancel", job);
        }
    }

    /**
     * A job that Slurm takes for one that ended well has failed: its exit code is 1 then. None of Slurm's commands says so,
     * its library does. @param number Slurm's own of it, also of a task
     */
    record ExitCode(long number) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("slurm_complete_job", Long.toString(number), "1");
        }
    }

    String RESERVATION = "spillway";
    String BRIDGE = "spillway-bridge";
    /** The beginning of every reason that the head gives, so that it knows its own again. */
    String OURS = "spillway: ";

    /**
     * A reservation that never begins keeps jobs away as well, as no job is shorter than a minute, and its nodes look like
     * any that are powered down. One that is not put off in time begins.
     */
    Duration AHEAD = Duration.ofSeconds(55);

    /** The start that Slurm estimates for jobs that wait for such nodes; and how long a head that was killed may be away. */
    Duration RESERVED = Duration.ofMinutes(30);

    /** How long a head that was ended may be away. */
    Duration AWAY = Duration.ofHours(12);

    int MOST_CHARACTERS = 400;

    /** Printable, without quotes and backslashes, and not too long. */
    static String clean(String sentence) {
        var text = new StringBuilder();
        sentence.codePoints()
                .limit(MOST_CHARACTERS)
                .map(point -> point == '"' || point == '\\' || point == '\'' || point == '`' ? '.' : point)
                .map(point ->
                        Character.isISOControl(point) || Character.getType(point) == Character.FORMAT ? ' ' : point)
                .forEach(text::appendCodePoint);
        return text.toString().strip();
    }
}
