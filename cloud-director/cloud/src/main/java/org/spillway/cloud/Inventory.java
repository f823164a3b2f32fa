package org.spillway.cloud;

import java.util.List;

/** Every billable thing that bears the cluster's tag, and what the provider cannot tag by listing the account. */
public interface Inventory {
    List<Billable> all() throws CloudException;

    /** Gone is success. */
    void delete(Billable thing) throws CloudException;
}
