package org.spillway.scaler.policyhost;

import java.util.List;

/** A policy's file is not taken; the findings say why. */
final class NotTaken extends Exception {
    private static final long serialVersionUID = 1;
    private final transient List<Finding> findings;

    NotTaken(List<Finding> findings) {
        super(String.valueOf(findings));
        this.findings = List.copyOf(findings);
    }

    NotTaken(String file, String message) {
        this(List.of(Finding.ofFile(file, message)));
    }

    List<Finding> findings() {
        return findings;
    }
}
