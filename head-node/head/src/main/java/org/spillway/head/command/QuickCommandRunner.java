package org.spillway.head.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.spillway.cli.HeadClient;
import org.spillway.cli.QuickCommands;
import org.spillway.cli.Surroundings;
import org.spillway.head.rest.CommandRunner;

/**
 * Runs commands of every minute for launchers. The answer's first line is {@code spillway-command 1 EXIT MARK}; then
 * comes what goes to standard error, MARK, what goes to standard output, and a full stop, since a shell drops line ends
 * at an end. MARK is a dash, and does not follow, where standard error gets nothing. EXIT is {@code own} for a command
 * that a process of the user's own has to run.
 */
public final class QuickCommandRunner implements CommandRunner {
    private static final String FIRST = "spillway-command 1 ";
    /** As a tree and a table a listing takes many times its size, and the head's memory is everybody's. */
    private static final int MOST_REPLY_BYTES = 1024 * 1024;

    /** A shell holds it in a variable. */
    private static final int MOST_CHARACTERS = 4 * 1024 * 1024;

    @Override
    public byte[] run(byte[] told, String key, Ask ask) {
        var out = new StringWriter();
        var err = new StringWriter();
        int code;
        try {
            var head = HeadClient.over((method, path, headers, body) -> {
                var reply = ask.ask(method, path, headers, body);
                if (reply.body().length > MOST_REPLY_BYTES) {
                    throw new Surroundings.NotHere("a listing that is better read elsewhere");
                }
                return new HeadClient.Answer(reply.status(), reply.body());
            });
            var command = ToldCommand.read(told, key, head);
            code = QuickCommands.run(command.arguments(), command, new PrintWriter(out), new PrintWriter(err));
        } catch (Surroundings.NotHere elsewhere) {
            return own();
        }
        var shown = out.toString();
        var said = err.toString();
        if (shown.length() + said.length() > MOST_CHARACTERS || shown.indexOf('\0') >= 0 || said.indexOf('\0') >= 0) {
            return own();
        }
        var mark = said.isEmpty() ? "-" : UUID.randomUUID().toString();
        var answer = FIRST + code + " " + mark + "\n" + said + (said.isEmpty() ? "" : mark) + shown + ".";
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] own() {
        return (FIRST + "own -\n.").getBytes(StandardCharsets.UTF_8);
    }
}
