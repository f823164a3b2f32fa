package org.spillway.head.rest;

/** Parts of a head's answers that a test gives. */
abstract class FakeParts implements HeadApi {
    public AccountsApi users = AccountsApi.NONE;
    public StagesApi stages = StagesApi.NONE;
    public RolloutsApi rollouts = RolloutsApi.NONE;
    public NodeLogsApi nodeLogs = NodeLogsApi.NONE;
    public NodePagesApi nodePages = NodePagesApi.NONE;
    public SessionsApi sessions = SessionsApi.NONE;

    @Override
    public AccountsApi users() {
        return users;
    }

    @Override
    public StagesApi stages() {
        return stages;
    }

    @Override
    public RolloutsApi rollouts() {
        return rollouts;
    }

    @Override
    public NodeLogsApi nodeLogs() {
        return nodeLogs;
    }

    @Override
    public NodePagesApi nodePages() {
        return nodePages;
    }

    @Override
    public SessionsApi sessions() {
        return sessions;
    }
}
