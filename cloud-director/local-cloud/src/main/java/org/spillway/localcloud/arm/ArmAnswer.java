package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Optional;
import org.spillway.localcloud.Fault;

/**
 * @param operation id of what was accepted with it; empty for none
 * @param fault LOST or SLOW
 */
record ArmAnswer(int status, JsonNode body, String operation, String note, Optional<Fault> fault) {
    static ArmAnswer ok(JsonNode body, String note) {
        return new ArmAnswer(200, body, "", note, Optional.empty());
    }

    static ArmAnswer accepted(String operation, String note) {
        return new ArmAnswer(202, JsonNodeFactory.instance.missingNode(), operation, note, Optional.empty());
    }

    static ArmAnswer nothing(int status, String note) {
        return new ArmAnswer(status, JsonNodeFactory.instance.missingNode(), "", note, Optional.empty());
    }
}
