package org.spillway.slurm.manager;

import java.time.Duration;
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

    record PowerDown(String slot) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "nodename=" + slot, "state=power_down");
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
                    "starttime=now",
                    "duration=" + RESERVED.toHours() + ":00:00",
                    "user=root",
                    "flags=maint,ignore_jobs",
                    "nodes=" + String.join(",", slots));
        }
    }

    /** The whole list: 22.05 knows no other way. */
    record Members(TreeSet<String> slots) implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "update", "reservationname=" + RESERVATION, "nodes=" + String.join(",", slots));
        }
    }

    record Renew() implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of(
                    "scontrol",
                    "update",
                    "reservationname=" + RESERVATION,
                    "endtime=now+" + RESERVED.toHours() + "hours");
        }
    }

    /** An empty list of nodes would mean all of the default partition. */
    record Unreserve() implements SlurmOrder {
        @Override
        public List<String> arguments() {
            return List.of("scontrol", "delete", "reservation=" + RESERVATION);
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

    String RESERVATION = "spillway";
    /** The beginning of every reason that the head gives, so that it knows its own again. */
    String OURS = "spillway: ";

    Duration RESERVED = Duration.ofHours(12);
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
