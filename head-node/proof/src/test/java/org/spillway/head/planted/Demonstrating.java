package org.spillway.head.planted;

import org.spillway.proof.demo.DemoCommand;

/** A planted violation. */
public interface Demonstrating {
    DemoCommand known();
}
