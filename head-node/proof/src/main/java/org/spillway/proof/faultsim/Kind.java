package org.spillway.proof.faultsim;

/** Kinds of world in which a seed is told. */
enum Kind {
    /** Everything fails for a minute or two. */
    USUAL(0),
    /** With nodes of two categories, one of which has an overlay, and which are made each other's. */
    ROLES(3),
    /** With two zones, with a fabric in each, and many launches of which only a part can be had. */
    FABRICS(5),
    /** No director comes up in one of the sites for half an hour and more. */
    SICK(13),
    /** Some outputs cannot be written for hours, or for longer than a head tries. */
    UNWRITABLE(11),
    /** The journal is put back from an older copy, or lost, and an administrator chooses what becomes of machines. */
    PAST(7),
    /** The clock of the head's machine is set by minutes and hours, and the head is started again by it. */
    CLOCK(9),
    /** Queues buy spot, and providers take machines back, with notice that is kept, given too late, or only a hint. */
    NOTICED(10);

    /** Every that many seeds it is told too; 0 for every one. */
    final int every;

    Kind(int every) {
        this.every = every;
    }

    boolean isToldBy(long seed) {
        return every == 0 || seed % every == 0;
    }
}
