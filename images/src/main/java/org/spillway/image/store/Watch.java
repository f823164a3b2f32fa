package org.spillway.image.store;

/** Hears how far long work is, often; it does not wait. */
@FunctionalInterface
public interface Watch {
    Watch NONE = (phase, done, all) -> {};

    /** Parts of long work. */
    enum Phase {
        /** Names and facts are looked at; nobody knows how many there will be. */
        LOOKING,
        /** Contents are read, in bytes. */
        READING,
        /** Contents that were read are brought to the disk. */
        SYNCING,
        /** Contents are put in their places, in files. */
        KEEPING,
        /** A tree is written, in bytes. */
        WRITING,
        /** A step of a recipe, such as a script, runs. */
        RUNNING
    }

    /** @param all 0 while nobody knows */
    void at(Phase phase, long done, long all);
}
