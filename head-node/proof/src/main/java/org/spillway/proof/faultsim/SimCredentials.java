package org.spillway.proof.faultsim;

import org.spillway.cloud.LaunchRequest;
import org.spillway.head.loop.port.Credentials;

/** Names in the place of secrets. */
final class SimCredentials implements Credentials {
    @Override
    public String nodeUserData(String site, String intent, String directorAddress) {
        return "node of " + intent + "@" + directorAddress;
    }

    @Override
    public boolean leadsTo(String nodeUserData, String directorAddress) {
        return nodeUserData.endsWith("@" + directorAddress);
    }

    @Override
    public String directorUserData(String site, String node) {
        return "director " + node;
    }

    @Override
    public void givenDirector(String node, String hostKey) {}

    @Override
    public boolean hasDirectorKey(String node) {
        return true;
    }

    @Override
    public LaunchRequest render(LaunchRequest request) {
        return request;
    }

    @Override
    public String tokenSha256(String intent) {
        return intent;
    }

    @Override
    public String signNode(String csr, String node) {
        return "certificate of " + node;
    }
}
