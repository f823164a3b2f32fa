package org.spillway.head.util;

/** Planted: a room that nobody would live in. */
public final class Drawer {
    private Drawer() {}
}
