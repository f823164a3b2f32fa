package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.javalin.http.HandlerType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.AccountsView;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.OperationOrder;

/** Accounts are for administrators, and what an operation is asked to do is checked. */
final class OperationRoutesTest {
    private static final Caller ADMIN = new Caller("root", 0, 0, true);
    private static final Caller ADA = new Caller("ada", 1001, 1001, false);

    private final FakeHead head = new FakeHead();

    private Routes.Answer ask(Caller caller, HandlerType method, String path, String body) {
        Routes.Route route = new Routes(head)
                .all().stream()
                        .filter(one -> one.method().equals(method) && one.path().equals(path))
                        .findFirst()
                        .orElseThrow();
        return route.handler()
                .answer(new Routes.Call(
                        caller, Map.of("id", "e1"), Map.of(), Map.of(), body.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource({"GET,/offerings", "POST,/operations", "GET,/operations/{id}"})
    void usersAreRefused(String method, String path) {
        HandlerType type = method.equals("GET") ? HandlerType.GET : HandlerType.POST;
        head.accounts.begin(new OperationOrder("audit", "east", List.of()));
        String body = "{\"kind\":\"delete-network\",\"site\":\"east\"}";
        ApiException refused = catchThrowableOfType(ApiException.class, () -> ask(ADA, type, path, body));
        assertThat(refused.code()).isEqualTo(Code.FORBIDDEN);
        assertThat(head.accounts.orders).hasSize(1);
        assertThat(ask(ADMIN, type, path, body).status()).isBetween(200, 202);
    }

    @Test
    void anOrderIsReadAsItIs() {
        Routes.Answer answer = ask(
                ADMIN,
                HandlerType.POST,
                "/operations",
                "{\"kind\":\"delete\",\"site\":\"east\",\"things\":[{\"kind\":\"disk\",\"id\":\"/a/b:c\"}]}");
        assertThat(answer.status()).isEqualTo(202);
        assertThat(head.accounts.orders)
                .containsExactly(
                        new OperationOrder("delete", "east", List.of(new OperationOrder.ThingName("disk", "/a/b:c"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[",
                "{}",
                "{\"kind\":\"wipe\",\"site\":\"east\"}",
                "{\"kind\":\"audit\",\"site\":\"../east\"}",
                "{\"kind\":\"delete\",\"site\":\"east\"}",
                "{\"kind\":\"delete\",\"site\":\"east\",\"things\":\"all\"}",
                "{\"kind\":\"delete\",\"site\":\"east\",\"things\":[{\"kind\":\"disk\"}]}",
                "{\"kind\":\"audit\",\"site\":\"east\",\"things\":[{\"kind\":\"disk\",\"id\":\"d\"}]}"
            })
    void anythingElseIsABadRequest(String body) {
        ApiException refused =
                catchThrowableOfType(ApiException.class, () -> ask(ADMIN, HandlerType.POST, "/operations", body));
        assertThat(refused.code()).isEqualTo(Code.BAD_REQUEST);
        assertThat(head.accounts.orders).isEmpty();
    }

    @Test
    void usersLearnOfThemselvesAndAdministratorsOfAll() {
        head.users = user -> new AccountsView(user, false, List.of(), List.of());
        for (String login : List.of("bob", "e1")) {
            ApiException refused = catchThrowableOfType(ApiException.class, () -> user(ADA, login));
            assertThat(refused.code()).as(login).isEqualTo(Code.FORBIDDEN);
            assertThat(user(ADMIN, login).status()).isEqualTo(200);
        }
        assertThat(user(ADA, "ada").status()).isEqualTo(200);
        ApiException none = catchThrowableOfType(ApiException.class, () -> user(ADMIN, "-x y"));
        assertThat(none.code()).isEqualTo(Code.BAD_REQUEST);
    }

    private Routes.Answer user(Caller caller, String login) {
        Routes.Route route = new Routes(head)
                .all().stream()
                        .filter(one -> one.path().equals("/users/{login}"))
                        .findFirst()
                        .orElseThrow();
        return route.handler().answer(new Routes.Call(caller, Map.of("login", login), Map.of(), Map.of(), new byte[0]));
    }
}
