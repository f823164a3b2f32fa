package org.spillway.slurm.hooks;

/**
 * The fate of a node that Slurm declares.
 *
 * @param name Slurm's
 * @param ours whether it is one that the head buys nodes for
 * @param node the head's id of the node that has the name; empty for none
 * @param what is done, in a few words
 */
public record SlurmSlot(String name, boolean ours, String node, String what) {}
