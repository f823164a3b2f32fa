package org.spillway.head.staging;

import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserFiles.Stamp;

/** A file of an input, as it was found. */
record Source(Packed file, Stamp stamp) {}
