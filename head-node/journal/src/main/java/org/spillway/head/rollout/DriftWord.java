package org.spillway.head.rollout;

import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.head.rollout.DriftTerms.Policy;

/**
 * A node's word on whether the root of its jobs is the version that it attests, of its last look. Pure.
 *
 * @param count names that differ, of the last look and those before that still do; of {@link Kind#SAME} those that were repaired
 * @param path the first of them as a manifest has it; empty for none
 * @param at when all names had last been looked at in a row without a difference, seconds of the epoch by the node's clock; 0 for not
 *     yet
 * @param why there was no look, or no repair; else empty
 */
public record DriftWord(Kind kind, long count, String path, long at, String why) {
    /** Nothing was said. */
    public static final DriftWord NONE = new DriftWord(Kind.NONE, 0, "", 0, "");

    private static final Pattern SAME =
            Pattern.compile("same (-|[0-9]{1,11}) ?(?:repaired [0-9]{1,11} ([0-9]{1,9}) (/\\S{0,500}))?");
    private static final Pattern OTHER =
            Pattern.compile("(differs|repairing|unrepaired) ([0-9]{1,9}) (/\\S{0,500}?)(?:: (.{0,500}))?");
    private static final String UNKNOWN = "unknown ";

    /** Findings. */
    public enum Kind {
        NONE,
        SAME,
        DIFFERS,
        /** The node fetches and mounts the version anew; no job begins in it before that is done. */
        REPAIRING,
        /** The repair has failed, or what differed does so still. */
        UNREPAIRED,
        /** The node could not compare. */
        UNKNOWN;

        /** Whether an administrator should know. */
        public boolean isBad() {
            return this != NONE && this != SAME;
        }
    }

    /** Never fails: a text that is none of these is {@link Kind#UNKNOWN}. @param detail of the check */
    public static DriftWord parse(String detail) {
        Matcher same = SAME.matcher(detail);
        if (same.matches()) {
            boolean repaired = same.group(2) != null;
            return new DriftWord(
                    Kind.SAME,
                    repaired ? Long.parseLong(same.group(2)) : 0,
                    repaired ? same.group(3) : "",
                    same.group(1).equals("-") ? 0 : Long.parseLong(same.group(1)),
                    "");
        }
        Matcher other = OTHER.matcher(detail);
        if (other.matches()) {
            Kind kind = switch (other.group(1)) {
                case "differs" -> Kind.DIFFERS;
                case "repairing" -> Kind.REPAIRING;
                default -> Kind.UNREPAIRED;
            };
            String why = other.group(4);
            return new DriftWord(kind, Long.parseLong(other.group(2)), other.group(3), 0, why == null ? "" : why);
        }
        return new DriftWord(
                Kind.UNKNOWN, 0, "", 0, detail.startsWith(UNKNOWN) ? detail.substring(UNKNOWN.length()) : detail);
    }

    /** Whether the node is to get no further jobs. A look that could not be made is no reason. */
    public boolean drains(Policy policy) {
        return switch (policy) {
            case REPORT -> false;
            case DRAIN -> kind == Kind.DIFFERS || kind == Kind.UNREPAIRED;
            case REPAIR -> kind == Kind.UNREPAIRED;
        };
    }

    /** A line for people; empty where nothing was said. */
    public String text() {
        String some = count + (count == 1 ? " file, " : " files, the first ") + path;
        return switch (kind) {
            case NONE -> "";
            case SAME ->
                (at == 0 ? "no difference so far" : "all of it was the same by " + Instant.ofEpochSecond(at))
                        + (count == 0 ? "" : "; repaired: " + some);
            case DIFFERS -> some;
            case REPAIRING -> "is being repaired: " + some;
            case UNREPAIRED -> "not repaired: " + some + (why.isEmpty() ? "" : ": " + why);
            case UNKNOWN -> "not compared: " + why;
        };
    }
}
