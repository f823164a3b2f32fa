package org.spillway.director;

import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Report.DirectoryReport;

/** The users and groups that this site's nodes may ask for, kept equal to the head's. */
public interface IdentitySource extends AutoCloseable {
    /** Follows the head's directory where it can be read now. Returns at once; the same grant again changes nothing. */
    void follow(DirectoryGrant grant);

    DirectoryReport report();

    @Override
    void close();
}
