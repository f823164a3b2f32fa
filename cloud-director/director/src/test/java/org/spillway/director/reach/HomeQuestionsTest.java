package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

final class HomeQuestionsTest {
    private static final HomeQuestions.Asker WHO = new HomeQuestions.Asker("j", 1, "n", "1");

    private Instant now = Instant.EPOCH;

    private List<Messages.Asked> take(HomeQuestions questions, Duration wait) throws Exception {
        return Messages.readAsked(questions.take(wait));
    }

    private static FutureTask<Reply> begin(Callable<Reply> call) {
        FutureTask<Reply> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void aQuestionWhoseAnswerIsLostIsGivenOutAgain() throws Exception {
        var questions = new HomeQuestions(() -> now, Duration.ofMinutes(1));
        FutureTask<Reply> asked = begin(() -> questions.ask(WHO, Question.stat("/home/ann")));
        List<Messages.Asked> first = take(questions, Duration.ofMinutes(1));
        assertThat(first).hasSize(1);
        assertThat(first.getFirst().question().path()).isEqualTo("/home/ann");
        assertThat(take(questions, Duration.ZERO)).isEmpty();
        now = now.plusSeconds(11);
        assertThat(take(questions, Duration.ZERO)).isEqualTo(first);
        byte[] body = "x".getBytes(StandardCharsets.UTF_8);
        questions.answered(Messages.told(new Messages.Told(first.getFirst().number(), new Reply(Status.OK, body))));
        assertThat(asked.get().body()).isEqualTo(body);
        now = now.plusSeconds(11);
        assertThat(take(questions, Duration.ZERO)).isEmpty();
        // A second answer, which a question that was given out twice has.
        questions.answered(Messages.told(new Messages.Told(first.getFirst().number(), Reply.of(Status.NONE))));
    }

    /** The head answers whoever serves at that address when it has the answer: another director's question may be the first, too. */
    @Test
    void anAnswerToADirectorThatIsGoneAnswersNobodyElse() throws Exception {
        var gone = new HomeQuestions(() -> now, Duration.ofMinutes(1));
        FutureTask<Reply> before = begin(() -> gone.ask(WHO, Question.stat("/home/ann/x")));
        long late = take(gone, Duration.ofMinutes(1)).getFirst().number();
        var next = new HomeQuestions(() -> now, Duration.ofMinutes(1));
        FutureTask<Reply> asked = begin(() -> next.ask(WHO, Question.stat("/home/ann/y")));
        long own = take(next, Duration.ofMinutes(1)).getFirst().number();
        next.answered(Messages.told(new Messages.Told(late, Reply.of(Status.DENIED))));
        assertThat(next.waiting()).isEqualTo(1);
        next.answered(Messages.told(new Messages.Told(own, Reply.of(Status.NONE))));
        assertThat(asked.get().status()).isEqualTo(Status.NONE);
        assertThat(before.isDone()).isFalse();
    }

    @Test
    void nobodyWaitsForEver() throws Exception {
        var questions = new HomeQuestions(() -> now, Duration.ofMillis(1));
        assertThatThrownBy(() -> questions.ask(WHO, Question.stat("/home/ann")))
                .isInstanceOf(IOException.class)
                .hasMessage("home does not answer");
        assertThat(take(questions, Duration.ZERO)).isEmpty();
    }
}
